// Reads a zip whose files are stored as they are: the test folder that the page saves.

/** The files of a zip by name. @param {Buffer} bytes */
export function unzip(bytes) {
  const files = new Map();
  let at = bytes.readUInt32LE(bytes.lastIndexOf(Buffer.from("PK\x05\x06")) + 16);
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 24)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    if (method !== 0) throw new Error("a compressed file");
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    files.set(bytes.toString("utf8", at + 46, at + 46 + name), bytes.toString("utf8", start, start + size));
    at += 46 + name + extra + comment;
  }
  return files;
}
