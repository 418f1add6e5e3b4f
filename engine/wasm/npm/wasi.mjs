// The system that the terminal client sees: arguments, streams, files, time, over `node:fs`. In: a compiled module of WASI preview 1,
// arguments, environment. Out: the exit code; what the run writes is written by then.
// The functions are those that the module asks for, and no more: a module that asks for another is refused when the package is built.
import fs from "node:fs";
import { getRandomValues } from "node:crypto";

/** Numbers of WASI for what `node:fs` throws. */
const ERRORS = {
  EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EFBIG: 22, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37,
  ENFILE: 41, ENODEV: 43, ENOENT: 44, ENOSPC: 51, ENOTDIR: 54, ENOTEMPTY: 55, ENXIO: 60, EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, ETXTBSY: 74,
};
/** Kinds of files. */
const [UNKNOWN, BLOCK, CHARACTERS, FOLDER, REGULAR, SOCKET, LINK] = [0, 1, 2, 3, 4, 6, 7];
/** Rights. What cannot be sought in and is of characters is a terminal. */
const [READ, SEEK, TELL, WRITE, ALL] = [1n << 1n, 1n << 2n, 1n << 5n, 1n << 6n, (1n << 30n) - 1n];
/** How a file is opened: flags of a call, and whether what is written goes to the end. */
const [CREATE, ONLY_FOLDER, EXCLUSIVE, TRUNCATE, APPEND] = [1, 2, 4, 8, 1];
/** The one folder that is open at the start: the root of all paths. */
const ROOT = 3;
/** Milliseconds until a stream that was not ready is asked again. */
const GLANCE = 5;

/** How a run ends before its last line. */
class Exit extends Error {}

/** Throws an error as `node:fs` has it. */
const fail = (code) => {
  throw Object.assign(new Error(code), { code });
};

/**
 * A path as this machine has it: modules know paths below one root. On Windows a drive within a path begins it anew: a path of a drive is
 * put behind the folder that the run is in, which has a drive too.
 * @param {string} path below the root
 * @param {string} platform as `process.platform` has it
 */
export function hostPath(path, platform = process.platform) {
  if (platform !== "win32") return `/${path}`;
  const plain = path.replaceAll("\\", "/");
  const below = /(?:.*\/|^)([A-Za-z]:(?:\/.*)?)$/.exec(plain)?.[1];
  return below === undefined ? `/${plain}` : below.length === 2 ? `${below}/` : below;
}

const kindOf = (about) =>
  about.isFile() ? REGULAR : about.isDirectory() ? FOLDER : about.isSymbolicLink() ? LINK
  : about.isCharacterDevice() ? CHARACTERS : about.isBlockDevice() ? BLOCK : about.isSocket() ? SOCKET : UNKNOWN;

/** Does what a stream may not be ready for. */
function patiently(act) {
  for (;;) {
    try {
      return act();
    } catch (error) {
      // Windows says so where a pipe has ended.
      if (error.code === "EOF") return 0;
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GLANCE);
    }
  }
}

/** What the module's memory holds: numbers, texts, lists of pieces. */
const within = (memory) => {
  const view = () => new DataView(memory().buffer);
  const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
  return {
    bytes,
    byte: (at, value) => view().setUint8(at, value),
    word: (at, value) => view().setUint32(at, value, true),
    long: (at, value) => view().setBigUint64(at, BigInt.asUintN(64, value), true),
    text: (at, length) => Buffer.from(bytes(at, length)).toString(),
    /** Does something with each piece of memory that a list names, until one is not used to its end; writes how much was used. */
    each(list, count, sum, act) {
      let used = 0;
      for (let at = list; at < list + 8 * count; at += 8) {
        const length = view().getUint32(at + 4, true);
        const part = length === 0 ? 0 : act(bytes(view().getUint32(at, true), length));
        used += part;
        if (part < length) break;
      }
      view().setUint32(sum, used, true);
    },
  };
};

/** The two functions that give a list of texts: how many and how long, and the texts. */
const listed = (memory, texts) => {
  const all = Buffer.from(texts.map((text) => `${text}\0`).join(""));
  const sizes = (count, size) => {
    memory.word(count, texts.length);
    memory.word(size, all.length);
  };
  const get = (places, at) => {
    memory.bytes(at, all.length).set(all);
    for (let index = 0, begin = 0; index < texts.length; index++, begin = all.indexOf(0, begin) + 1) memory.word(places + 4 * index, at + begin);
  };
  return [sizes, get];
};

/** The functions for what is open: streams, files, folders. */
const ofOpen = (memory, open) => {
  const opened = (fd) => open.get(fd) ?? fail("EBADF");
  return {
    fd_close: (fd) => {
      const file = opened(fd);
      if (file.fd > 2) fs.closeSync(file.fd);
      open.delete(fd);
    },
    fd_fdstat_get: (fd, at) => {
      const { kind } = opened(fd);
      memory.long(at, BigInt(kind));
      memory.long(at + 8, kind === CHARACTERS ? ALL & ~SEEK & ~TELL : ALL);
      memory.long(at + 16, ALL);
    },
    fd_filestat_get: (fd, at) => {
      const { kind, path, fd: number } = opened(fd);
      describe(memory, at, kind === FOLDER ? fs.statSync(hostPath(path), { bigint: true }) : fs.fstatSync(number, { bigint: true }));
    },
    fd_prestat_get: (fd, at) => memory.long(at, fd === ROOT ? 1n << 32n : fail("EBADF")),
    fd_prestat_dir_name: (_fd, at, length) => memory.bytes(at, length).set(Buffer.from("/")),
    fd_read: (fd, list, count, sum) => {
      const file = opened(fd);
      if (file.kind === FOLDER) fail("EISDIR");
      memory.each(list, count, sum, (part) => patiently(() => fs.readSync(file.fd, part)));
    },
    fd_readdir: (fd, at, size, cookie, sum) => {
      const folder = opened(fd);
      if (folder.kind !== FOLDER) fail("ENOTDIR");
      if (cookie === 0n) folder.entries = fs.readdirSync(hostPath(folder.path), { withFileTypes: true });
      let used = 0;
      for (let index = Number(cookie); index < folder.entries.length && used < size; index++) {
        const name = Buffer.from(folder.entries[index].name);
        const entry = Buffer.alloc(24);
        entry.writeBigUInt64LE(BigInt(index + 1), 0);
        // Where it has no number a module asks for each entry by itself.
        entry.writeBigUInt64LE(1n, 8);
        entry.writeUInt32LE(name.length, 16);
        entry.writeUInt8(kindOf(folder.entries[index]), 20);
        // One that is cut is asked for again.
        const part = Buffer.concat([entry, name]).subarray(0, size - used);
        memory.bytes(at + used, part.length).set(part);
        used += part.length;
      }
      memory.word(sum, used);
    },
    fd_write: (fd, list, count, sum) => {
      const file = opened(fd);
      memory.each(list, count, sum, (part) => patiently(() => fs.writeSync(file.fd, part)));
    },
  };
};

/** Writes what is asked of a file: which it is, its kind, its length. */
function describe(memory, at, about) {
  memory.bytes(at, 64).fill(0);
  for (const [place, number] of [[0, about.dev], [8, about.ino], [32, about.size]]) memory.long(at + place, number);
  memory.byte(at + 16, kindOf(about));
}

/** The functions for what has a path. */
const ofPaths = (memory, open) => {
  let next = ROOT + 1;
  const inner = (fd, at, length) => [open.get(fd).path, memory.text(at, length)].filter((part) => part !== "").join("/");
  const path = (...place) => hostPath(inner(...place));
  const remember = (to, file) => {
    open.set(next, file);
    memory.word(to, next++);
  };
  return {
    path_create_directory: (...place) => fs.mkdirSync(path(...place)),
    path_filestat_get: (fd, follows, at, length, to) =>
      describe(memory, to, (follows & 1 ? fs.statSync : fs.lstatSync)(path(fd, at, length), { bigint: true })),
    path_open: (folder, _follows, at, length, how, rights, _inherited, flags, to) => {
      const name = inner(folder, at, length);
      const about = fs.statSync(hostPath(name), { throwIfNoEntry: false });
      const [reads, writes] = [(rights & READ) !== 0n, (rights & WRITE) !== 0n];
      if (about?.isDirectory()) {
        if (writes) fail(how & EXCLUSIVE ? "EEXIST" : "EISDIR");
        return remember(to, { path: name, kind: FOLDER });
      }
      if (about && how & ONLY_FOLDER) fail("ENOTDIR");
      const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants;
      const wanted = [[how & CREATE, O_CREAT], [how & EXCLUSIVE, O_EXCL], [how & TRUNCATE, O_TRUNC], [flags & APPEND, O_APPEND]];
      const access = writes ? (reads ? O_RDWR : O_WRONLY) : O_RDONLY;
      const fd = fs.openSync(hostPath(name), wanted.reduce((all, [is, flag]) => (is ? all | flag : all), access), 0o666);
      return remember(to, { fd, kind: kindOf(fs.fstatSync(fd)) });
    },
    path_readlink: (fd, at, length, into, size, sum) => {
      const target = Buffer.from(fs.readlinkSync(path(fd, at, length))).subarray(0, size);
      memory.bytes(into, target.length).set(target);
      memory.word(sum, target.length);
    },
  };
};

/**
 * The functions that a module may ask for, each giving the number of its error, 0 for none.
 * @param {{ args?: string[], env?: Record<string, string>, terminals?: boolean[] }} given the name of the program is the first argument;
 *   of each of the three streams, whether it is a terminal
 * @param {() => WebAssembly.Memory} memory of the module that asks
 */
export function functions({ args = [], env = {}, terminals = [] }, memory) {
  const open = new Map([0, 1, 2].map((fd) => [fd, { fd, kind: terminals[fd] ? CHARACTERS : UNKNOWN }]));
  open.set(ROOT, { path: "", kind: FOLDER });
  const here = within(memory);
  const [args_sizes_get, args_get] = listed(here, args);
  const [environ_sizes_get, environ_get] = listed(here, Object.entries(env).map((pair) => pair.join("=")));
  const all = {
    args_sizes_get, args_get, environ_sizes_get, environ_get, ...ofOpen(here, open), ...ofPaths(here, open),
    clock_time_get: (clock, _precision, at) => here.long(at, clock === 0 ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint()),
    random_get: (at, length) => getRandomValues(here.bytes(at, length)),
    proc_exit: (code) => { throw new Exit("", { cause: code }); },
  };
  const safe = (act) => (...given) => {
    try {
      act(...given);
      return 0;
    } catch (error) {
      // What else is thrown is the end of the run, or a mistake of ours.
      if (/^E[A-Z0-9]+$/.test(error?.code)) return ERRORS[error.code] ?? ERRORS.EIO;
      throw error;
    }
  };
  return Object.fromEntries(Object.entries(all).map(([name, act]) => [name, safe(act)]));
}

/** Runs a module to its end and returns the exit code; what is given is that of `functions`. */
export function run(module, given) {
  const system = functions(given, () => instance.exports.memory);
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system });
  try {
    instance.exports._start();
    return 0;
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return error.cause;
  }
}
