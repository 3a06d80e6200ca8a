/**
 * The script of the page: copies examples, and sends calls to the process that served the page. It is sent as its own text, so
 * it uses nothing from outside of itself.
 */
export function pageScript(): void {
  /** Characters of an answer that are shown; the rest is not read. */
  const MAX_SHOWN = 65_536;
  const COPIED_MS = 1_500;
  const MAX_INDENT = 16;

  const THEME = 'switchyard-theme';
  const isNarrow = matchMedia('(max-width: 64rem)');

  applyTheme(keptTheme());
  document.addEventListener('DOMContentLoaded', () => {
    for (const code of document.querySelectorAll('.code')) offerCopy(code);
    for (const each of document.querySelectorAll('[data-origin]')) each.textContent = location.origin;
    for (const article of document.querySelectorAll('article')) offerTry(article);
    for (const details of document.querySelectorAll<HTMLDetailsElement>('details.fold')) foldIfNarrow(details);
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.menu li a')) leadOn(link);
    offerTheme();
  });

  /** Contents and menu are open if there is room alongside the calls; elsewhere they close behind their links. */
  function foldIfNarrow(details: HTMLDetailsElement): void {
    const fold = () => {
      details.open = !isNarrow.matches;
    };
    isNarrow.addEventListener('change', fold);
    fold();
    details.addEventListener('click', ({ target }) => {
      if (isNarrow.matches && target instanceof Element && target.closest('a') !== null) details.open = false;
    });
    details.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || !isNarrow.matches || !details.open) return;
      details.open = false;
      details.querySelector('summary')?.focus();
    });
  }

  /** Keeps the host by which the reader came, if that and the link's name one machine, and marks the page that is open. */
  function leadOn(link: HTMLAnchorElement): void {
    const isThisMachine = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
    if (isThisMachine(link.hostname) && isThisMachine(location.hostname)) link.hostname = location.hostname;
    if (link.origin === location.origin && link.pathname === location.pathname)
      link.setAttribute('aria-current', 'page');
  }

  /** The choice of the reader, which the other pages of this origin keep in the same place. */
  function keptTheme(): string {
    try {
      return localStorage.getItem(THEME) ?? 'system';
    } catch {
      // A browser that keeps nothing for this page.
      return 'system';
    }
  }

  function applyTheme(theme: string): void {
    document.documentElement.dataset.theme = theme;
  }

  function offerTheme(): void {
    const [footer, select] = [
      document.querySelector('footer'),
      document.querySelector<HTMLSelectElement>('[data-choice]'),
    ];
    if (footer === null || select === null) return;
    footer.hidden = false;
    select.value = keptTheme();
    select.addEventListener('change', () => {
      applyTheme(select.value);
      try {
        localStorage.setItem(THEME, select.value);
      } catch {
        // It holds until the page is left.
      }
    });
  }

  function offerCopy(code: Element): void {
    const pre = code.querySelector('pre');
    const button = document.createElement('button');
    const label = (text: string) => {
      button.textContent = text;
    };
    button.type = 'button';
    button.className = 'plain';
    button.setAttribute('aria-live', 'polite');
    label('Copy');
    button.addEventListener('click', async () => {
      try {
        // Browsers offer no clipboard to pages over plain HTTP from another machine.
        await navigator.clipboard.writeText(pre?.textContent ?? '');
        label('Copied');
      } catch {
        getSelection()?.selectAllChildren(pre ?? code);
        label('Selected');
      }
      setTimeout(() => label('Copy'), COPIED_MS);
    });
    code.append(button);
  }

  function offerTry(article: HTMLElement): void {
    const panel = article.querySelector<HTMLElement>('.try');
    const form = panel?.querySelector('form');
    const answer = panel?.querySelector<HTMLElement>('.answer');
    const status = panel?.querySelector<HTMLElement>('[role=status]');
    const [send, stop] = panel?.querySelectorAll('button') ?? [];
    if (!panel || !form || !answer || !status || !send || !stop) return;
    panel.hidden = false;
    form.addEventListener('input', () => updateSamples(article, form));
    let running: AbortController | undefined;
    stop.addEventListener('click', () => running?.abort());
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      running?.abort();
      const own = new AbortController();
      running = own;
      stop.hidden = false;
      answer.hidden = false;
      answer.textContent = '';
      await ask(form, own, { status, answer, isCurrent: () => running === own });
      if (running === own) stop.hidden = true;
    });
  }

  interface Shown {
    readonly status: HTMLElement;
    readonly answer: HTMLElement;
    /** Whether no later call of the same form has taken its place. */
    readonly isCurrent: () => boolean;
  }

  async function ask(form: HTMLFormElement, own: AbortController, { status, answer, isCurrent }: Shown): Promise<void> {
    const { method = 'GET' } = form.dataset;
    const body = form.querySelector('textarea')?.value;
    const headers = inputsOf(form, 'header').filter(([, value]) => value !== '');
    const began = performance.now();
    const note = (text: string) => {
      if (isCurrent()) status.textContent = text;
    };
    let head = '';
    note('Waiting for the answer');
    try {
      const response = await fetch(pathOf(form), {
        ...{
          method,
          mode: 'same-origin',
          credentials: 'omit',
          redirect: 'error',
          cache: 'no-store',
          signal: own.signal,
        },
        headers: { ...Object.fromEntries(headers), ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body }),
      });
      head = `${response.status} ${response.statusText}`.trim();
      head += `, ${Math.round(performance.now() - began)} ms`;
      note(head);
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      const { text, isCut } = await read(response, (soFar) => {
        if (isCurrent() && !isJson) answer.textContent = visible(soFar);
      });
      if (!isCurrent()) return;
      answer.textContent = visible(isJson ? indented(text) : text);
      note(isCut ? `${head}; the first ${MAX_SHOWN} characters` : head);
    } catch (error) {
      note(own.signal.aborted ? `${head === '' ? '' : `${head}; `}stopped` : `No answer: ${String(error)}`);
    }
  }

  /** Text of an answer as it comes, and whether there was more than is shown. */
  async function read(
    response: Response,
    more: (text: string) => void,
  ): Promise<{ readonly text: string; readonly isCut: boolean }> {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return { text, isCut: false };
      text += value;
      if (text.length > MAX_SHOWN) {
        await reader?.cancel();
        return { text: text.slice(0, MAX_SHOWN), isCut: true };
      }
      more(text);
    }
  }

  /** JSON with a line for each member; its values are not read, so that large numbers stay exact. */
  function indented(text: string): string {
    let depth = 0;
    let before = '';
    const line = () => `\n${'  '.repeat(Math.min(Math.max(depth, 0), MAX_INDENT))}`;
    return text.replaceAll(/"(?:[^"\\]|\\.)*"?|[[\]{},:]|\s+|[^\s"[\]{},:]+/gs, (token) => {
      if (token.trim() === '') return '';
      const isFirst = /^[[{]$/.test(before);
      before = token;
      if (/^[\]}]$/.test(token)) {
        depth -= 1;
        return isFirst ? token : `${line()}${token}`;
      }
      const start = isFirst ? line() : '';
      if (/^[[{]$/.test(token)) depth += 1;
      if (token === ',') return `,${line()}`;
      return token === ':' ? ': ' : `${start}${token}`;
    });
  }

  /** Characters that are not seen, or that turn the direction of those around them, by their numbers. */
  function visible(text: string): string {
    const number = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return text.replaceAll(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, (hidden) => hidden.split('').map(number).join(''));
  }

  function inputsOf(form: HTMLFormElement, place: string): readonly (readonly [name: string, value: string])[] {
    return Array.from(form.querySelectorAll('input'))
      .filter(({ dataset }) => dataset.in === place)
      .map(({ name, value }) => [name, value] as const);
  }

  /** @param missing Stands for a value that has to be there and is not. */
  function pathOf(form: HTMLFormElement, missing: (name: string) => string = () => ''): string {
    const encoded = (text: string) => encodeURIComponent(text).replaceAll("'", '%27');
    let path = form.dataset.url ?? '';
    for (const [name, value] of inputsOf(form, 'path'))
      path = path.replace(`{${name}}`, () => encoded(value || missing(name)));
    const query = inputsOf(form, 'query').filter(([, value]) => value !== '');
    return query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`;
  }

  function updateSamples(article: HTMLElement, form: HTMLFormElement): void {
    const capitals = (name: string) => name.toUpperCase();
    const put = (selector: string, text: string) => {
      for (const each of article.querySelectorAll(selector)) each.textContent = text;
    };
    put('[data-path]', pathOf(form, capitals));
    const given = [
      ...inputsOf(form, 'path').map(([name, value]) => [name, value || capitals(name)] as const),
      ...inputsOf(form, 'query').filter(([, value]) => value !== ''),
    ];
    const members = given.map(([name, value]) => {
      const text = /^\d{1,15}$/.test(value) ? value : `'${value.replace(/[\\']/g, '\\$&')}'`;
      return `${name}: ${text}`;
    });
    put('[data-params]', members.length === 0 ? '{}' : `{ ${members.join(', ')} }`);
    const body = form.querySelector('textarea')?.value ?? '';
    put('[data-body=json]', body);
    put('[data-body=shell]', body.replaceAll("'", "'\\''"));
  }
}
