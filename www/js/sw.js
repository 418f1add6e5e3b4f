// The page without a network: what it needs is kept at the first visit, what loads late once the page asks for it, the whole
// engine once it was used or the reader comes again; the page itself is asked for anew where that works. The build writes the lists of files and the name of their folder into
// this file. All paths are relative, so any sub-path of any host will do.

const FOLDER = __FOLDER__;
const FILES = __FILES__;
const LATE = __LATE__;
/** Weigh as much as the page. */
const WHOLE = LATE.filter((file) => /\/(whole|comparison)[^/]*\.wasm$/.test(file));

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(FOLDER).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  // In the order of their making. The version before this one stays: it may be open in another tab.
  const old = (names) => names.filter((name) => name.startsWith("assets-") && name !== FOLDER).slice(0, -1);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
});

// The page says when it has nothing else to do.
self.addEventListener("message", (event) => {
  if (!["late", "whole"].includes(event.data)) return;
  const wanted = LATE.filter((file) => event.data === "whole" || !WHOLE.includes(file));
  const keep = async (cache, file) => (await cache.match(file)) ?? cache.add(file);
  event.waitUntil(caches.open(FOLDER).then((cache) => Promise.allSettled(wanted.map((file) => keep(cache, file)))));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  // The page: the newest that can be had. Its parts have names that change with their content: the kept ones are right.
  const kept = async () => {
    const [wanted, options] = [request.mode === "navigate" ? "./" : request, { ignoreSearch: true }];
    // This version's first: the page and its icon have the same names in the version before.
    return (await (await caches.open(FOLDER)).match(wanted, options)) ?? caches.match(wanted, options);
  };
  const newest = () => fetch(request);
  // What was needed once is kept for the time without a network.
  const first = async () => {
    const answer = await fetch(request);
    if (answer.ok && WHOLE.some((file) => request.url.endsWith(file.slice(1)))) {
      const copy = answer.clone();
      event.waitUntil(caches.open(FOLDER).then((cache) => cache.put(request, copy)));
    }
    return answer;
  };
  event.respondWith(
    request.mode === "navigate"
      ? newest().catch(async () => (await kept()) ?? Response.error())
      : kept().then((found) => found ?? first()),
  );
});
