/*
 * Keeps the page's own files, so that it opens without a connection. The node is always asked first: what is kept is for
 * when it does not answer. Everything else, such as the API, passes by.
 */
const CACHE = 'switchyard-chat';
const MAX_FILES = 20;
/** Beside the page and what has the hash of its content in its name. */
const OTHERS = ['/', '/manifest.webmanifest', '/icon.svg', '/pages.json'];

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim().then(keepPage)));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const isOwn = origin === self.location.origin && (OTHERS.includes(pathname) || pathname.startsWith('/assets/'));
  if (request.method === 'GET' && isOwn) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await keep(cache, request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept !== undefined) return kept;
    throw error;
  }
}

async function keep(cache, request, response) {
  await cache.put(request, response);
  const kept = await cache.keys();
  for (const old of kept.slice(0, Math.max(0, kept.length - MAX_FILES))) await cache.delete(old);
}

/** The first visit loaded its files before this worker could see them. */
async function keepPage() {
  const cache = await caches.open(CACHE);
  const response = await fetch('/');
  const page = await response.clone().text();
  await keep(cache, new Request('/'), response);
  for (const [, file] of page.matchAll(/"\.(\/assets\/[\w.-]+)"/g)) await cache.add(file);
  // Without it there is no menu, and everything else works.
  await cache.add('/pages.json').catch(() => undefined);
}
