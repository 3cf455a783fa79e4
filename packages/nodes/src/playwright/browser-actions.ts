/** The elements that an outline lists; run in the page. */
const OUTLINE = String.raw`
function outlinePage(most) {
  const wanted = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[role],[onclick],[contenteditable=""],[contenteditable=true],h1,h2,h3';
  const isUnique = (selector) => {
    try {
      return document.querySelectorAll(selector).length === 1;
    } catch {
      return false;
    }
  };
  const quoted = (value) => JSON.stringify(value);
  const buildSelector = (element) => {
    const tag = element.localName;
    const own = [
      element.id && '#' + CSS.escape(element.id),
      ...['data-testid', 'name', 'aria-label', 'placeholder', 'href'].flatMap((name) =>
        element.getAttribute(name) ? [tag + '[' + name + '=' + quoted(element.getAttribute(name)) + ']'] : []),
    ];
    const found = own.find((selector) => selector && isUnique(selector));
    if (found) return found;
    const parts = [];
    for (let node = element; node && node !== document.documentElement; node = node.parentElement) {
      const same = node.parentElement ? [...node.parentElement.children].filter((other) => other.localName === node.localName) : [node];
      parts.unshift(node.localName + (same.length > 1 ? ':nth-of-type(' + (same.indexOf(node) + 1) + ')' : ''));
      const path = parts.join(' > ');
      if (isUnique(path)) return path;
    }
    return parts.join(' > ');
  };
  const readName = (element) =>
    (element.getAttribute('aria-label') || element.labels?.[0]?.innerText || element.getAttribute('placeholder') || element.getAttribute('alt') ||
      (element.localName === 'select' ? '' : element.innerText) || element.getAttribute('title') || element.getAttribute('name') || '').replace(/\s+/g, ' ').trim().slice(0, 120);
  const rows = [];
  for (const element of document.querySelectorAll(wanted)) {
    if (rows.length === most) break;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const type = element.getAttribute('type') || '';
    const isSecret = type === 'password';
    rows.push({
      selector: buildSelector(element),
      role: element.getAttribute('role') || element.localName + (type ? ' ' + type : ''),
      name: readName(element),
      ...(typeof element.value === 'string' && element.value !== '' && !isSecret ? { value: element.value.slice(0, 120) } : {}),
      ...(element.localName === 'select' ? { options: [...element.options].slice(0, 50).map((option) => option.label.slice(0, 80)) } : {}),
      ...(element.disabled ? { disabled: true } : {}),
    });
  }
  return { url: location.href, title: document.title.slice(0, 200), elements: rows };
}
`;

/** The browser and what steps do in it; a part of the text of `BROWSER_PROGRAM`. */
export const BROWSER_ACTIONS = String.raw`
const LONGEST_TEXT = 5000000;
const MOST_REQUESTS = 500;
const MOST_ELEMENTS = 200;
// Milliseconds; a page that takes longer is used as it is.
const LONGEST_OPENING = 10000;
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-quic', '--no-first-run', '--no-zygote', '--renderer-process-limit=2',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-breakpad', '--disable-features=AutofillServerCommunication,OptimizationHints,MediaRouter,Translate,WebRtcHideLocalIpsWithMdns',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp'];
let context;
let started;
const requests = [];
const tabs = new Set();
const opened = new WeakSet();
let givenUp = 0;
let longestOpening = LONGEST_OPENING;
${OUTLINE}
async function begin(options) {
  started = options;
  const { chromium } = require('playwright-core');
  const port = await startProxy();
  const installed = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => fs.existsSync(path));
  const browser = await chromium.launch({
    headless: true,
    // Without a screen, the whole browser instead of the one without windows is as close as it gets.
    ...(installed ? { executablePath: installed } : options.headless ? {} : { channel: 'chromium' }),
    chromiumSandbox: false,
    proxy: { server: 'http://127.0.0.1:' + port },
    args: [...ARGUMENTS, ...(options.stealth ? ['--disable-blink-features=AutomationControlled'] : [])],
    timeout: 60000,
  });
  browser.on('disconnected', () => {
    process.stderr.write('The browser has ended\n');
    process.exit(1);
  });
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/' + browser.version().split('.')[0] + '.0.0.0 Safari/537.36';
  context = await browser.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    ...(options.stealth ? { userAgent: agent, locale: 'en-US' } : {}),
    ...(options.state ? { storageState: options.state } : {}),
  });
  if (Object.keys(options.session ?? {}).length > 0) {
    await context.addInitScript((session) => {
      for (const [name, value] of Object.entries(session[location.origin] ?? {})) {
        if (sessionStorage.getItem(name) === null) sessionStorage.setItem(name, value);
      }
    }, options.session);
  }
  if (options.captures_network) context.on('response', noteResponse);
  await followTabs(browser, await context.newPage());
}

/** Playwright tells of a new tab when its server has answered, Chromium as soon as a click opens it. */
async function followTabs(browser, first) {
  const own = await context.newCDPSession(first);
  const { targetInfo: { browserContextId } } = await own.send('Target.getTargetInfo');
  await own.detach();
  const session = await browser.newBrowserCDPSession();
  session.on('Target.targetCreated', ({ targetInfo }) => {
    const { type, subtype, targetId } = targetInfo;
    // Pages that are loaded ahead have a subtype, and no tab.
    if (type === 'page' && !subtype && targetInfo.browserContextId === browserContextId) tabs.add(targetId);
  });
  session.on('Target.targetDestroyed', ({ targetId }) => tabs.delete(targetId));
  await session.send('Target.setDiscoverTargets', { discover: true });
}

function noteResponse(response) {
  if (requests.length === MOST_REQUESTS) return;
  const request = response.request();
  requests.push({ url: response.url().slice(0, 2000), method: request.method(), status: response.status(), type: request.resourceType() });
}

/** The page that was opened last: a click may have opened it, and it may still be on its way. */
async function page() {
  const end = Date.now() + longestOpening;
  const countMissing = () => tabs.size - context.pages().length;
  // A tab whose server does not answer is waited for once.
  givenUp = Math.max(0, Math.min(givenUp, countMissing()));
  while (countMissing() > givenUp && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  givenUp = Math.max(0, countMissing());
  const last = context.pages().at(-1) ?? (await context.newPage());
  if (!opened.has(last)) await last.waitForLoadState('domcontentloaded', { timeout: longestOpening }).catch(() => {});
  opened.add(last);
  return last;
}

function limited(text) {
  if (text !== null && text.length > LONGEST_TEXT) throw new Error('what it read is longer than ' + LONGEST_TEXT / 1000000 + ' million characters');
  return text;
}

async function scroll({ selector, timeout }, by) {
  const target = (await page()).locator(selector || ':root').first();
  await target.evaluate((element, [top, isPage]) => {
    (isPage ? window : element).scrollBy({ top, behavior: 'instant' });
  }, [by, !selector], { timeout });
}

const png = async (target, timeout) => (await target.screenshot({ timeout, type: 'png', animations: 'disabled' })).toString('base64');

const ACTIONS = {
  async navigate({ url, timeout }) {
    const response = await (await page()).goto(url, { timeout });
    if (response?.headers()['x-millrace-refused']) throw new Error('the address cannot be reached');
    return { url: (await page()).url(), status: response?.status() ?? null };
  },
  click: ({ target, timeout }) => target.click({ timeout }),
  type: ({ target, text, timeout }) => target.pressSequentially(text, { timeout }),
  fill: ({ target, text, timeout }) => target.fill(text, { timeout }),
  hover: ({ target, timeout }) => target.hover({ timeout }),
  async selectOption({ target, text, timeout }) {
    await target.selectOption(text, { timeout });
  },
  async wait({ selector, target, timeout }) {
    if (selector) await target.waitFor({ state: 'visible', timeout });
    else await new Promise((resolve) => setTimeout(resolve, timeout));
  },
  async screenshot({ selector, target, timeout }) {
    return png(selector ? target : await page(), timeout);
  },
  getText: async ({ target, timeout }) => limited(await target.innerText({ timeout })),
  getAttribute: async ({ target, attribute, timeout }) => limited(await target.getAttribute(attribute, { timeout })),
  async getHTML({ selector, target, timeout }) {
    return limited(selector ? await target.evaluate((element) => element.outerHTML, undefined, { timeout }) : await (await page()).content());
  },
  getVisibleTextOnPage: async ({ timeout }) => limited(await (await page()).locator('body').innerText({ timeout })),
  scrollDown: (step) => scroll(step, step.amount),
  scrollUp: (step) => scroll(step, -step.amount),
  has: ({ target, timeout }) => target.waitFor({ state: 'visible', timeout }).then(() => true, () => false),
  async outline() {
    await (await page()).waitForLoadState('domcontentloaded', { timeout: LONGEST_OPENING });
    return (await page()).evaluate('(' + outlinePage + ')(' + MOST_ELEMENTS + ')');
  },
  async state() {
    const { cookies, origins } = await context.storageState();
    const session = {};
    for (const open of context.pages()) {
      const [origin, items] = await open.evaluate(() => [location.origin, { ...sessionStorage }]).catch(() => ['null', {}]);
      if (origin !== 'null' && Object.keys(items).length > 0) session[origin] = items;
    }
    const local = Object.fromEntries(origins.map(({ origin, localStorage }) => [origin, Object.fromEntries(localStorage.map(({ name, value }) => [name, value]))]));
    return { cookies, localStorage: local, sessionStorage: session };
  },
  requests: async () => requests,
};

async function perform(step) {
  longestOpening = Math.min(LONGEST_OPENING, step.timeout || LONGEST_OPENING);
  const target = step.selector ? (await page()).locator(step.selector).first() : undefined;
  return ACTIONS[step.action]({ ...step, target });
}

function toProblem(error) {
  const text = String((error && error.message) || error).replace(/\u001b\[[0-9;]*m/g, '');
  const [first, ...more] = text.split('\n').map((line) => line.trim());
  const waiting = more.find((line) => /waiting for|intercepts pointer|not visible|not enabled|did not find/.test(line));
  const message = first.replace(/^[\w.]+: /, '') + (waiting ? ' (' + waiting.replace(/^- /, '') + ')' : '');
  return { kind: error && error.name === 'TimeoutError' ? 'timeout' : 'upstream', message: message.slice(0, 1000) };
}
`;
