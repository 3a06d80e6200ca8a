/**
 * The script of the page: after each block, the parts with an address in `data-live` are read from there again: JSON, or the page itself if
 * it is empty. Browsers give one server six connections, so that only a page that is looked at has a stream.
 */
export const SCRIPT = `const change = async (part) => {
  const answer = await fetch(part.dataset.live);
  const text = await answer.text();
  if (!answer.ok) return;
  if (answer.headers.get('content-type').includes('json')) {
    part.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } else {
    const now = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-live]');
    if (now !== null && now.innerHTML !== part.innerHTML) part.innerHTML = now.innerHTML;
  }
};
let [isBusy, isStale] = [false, false];
const changeAll = async () => {
  isStale = true;
  if (isBusy) return;
  isBusy = true;
  while (isStale) {
    isStale = false;
    await Promise.allSettled([...document.querySelectorAll('[data-live]')].map(change));
  }
  isBusy = false;
};
let blocks;
const turn = () => {
  blocks?.close();
  if (document.hidden || document.querySelector('[data-live]') === null) return;
  blocks = new EventSource('/v1/streams/blocks');
  blocks.onopen = changeAll;
  blocks.addEventListener('block', changeAll);
};
addEventListener('pageshow', turn);
addEventListener('pagehide', () => blocks?.close());
document.addEventListener('visibilitychange', turn);
`;
