import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const OPTIONS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  // Each new window would load the pages of its address bar, some 400 files, beside what is looked at.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup',
  '--remote-debugging-port=0',
];
/** Milliseconds; a busy machine takes its time over a page. */
const PATIENCE = 90_000;
/** A browser acts on these by their codes. */
const NAMED_KEYS: Readonly<Record<string, object>> = {
  Enter: { text: '\r', windowsVirtualKeyCode: 13 },
  Tab: { windowsVirtualKeyCode: 9 },
};

/** Milliseconds that a page waits for something, that it lets pass after a change, and between two looks without one. */
const [AT_A_TIME, LULL, LOOK] = [2_000, 40, 250];

/** True once the expression is, false when it was not for a while. */
function waitingFor(expression: string): string {
  return `new Promise((resolve) => {
    const is = () => { try { return Boolean(${expression}); } catch { return false; } };
    if (is()) return resolve(true);
    let lull;
    const end = (found) => {
      changes.disconnect();
      clearTimeout(lull);
      clearInterval(looks);
      clearTimeout(over);
      resolve(found);
    };
    const look = () => { lull = undefined; if (is()) end(true); };
    const changes = new MutationObserver(() => { lull ??= setTimeout(look, ${LULL}); });
    changes.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const looks = setInterval(look, ${LOOK});
    const over = setTimeout(() => end(is()), ${AT_A_TIME});
  })`;
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly calm?: boolean;
  /** Whether it has a finger and no mouse. */
  readonly touch?: boolean;
}

/** The Chromium of this machine; undefined where there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

type Told = (params: any) => void;

/** A headless Chromium, driven over its own protocol. */
export class Browser {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  readonly #waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  readonly #heard = new Map<string, Map<string, Told[]>>();
  #next = 1;

  private constructor(process: ChildProcess, socket: WebSocket, profile: string) {
    this.#process = process;
    this.#socket = socket;
    this.#profile = profile;
    socket.on('message', (data) => this.#take(JSON.parse(String(data))));
  }

  static async start(program: string): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'explorer-browser-'));
    const child = spawn(program, [...OPTIONS, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.once('exit', () => reject(new Error(`Chromium ended: ${said}`)));
      child.stderr!.on('data', (chunk) => {
        said += chunk;
        const found = /DevTools listening on (ws:\S+)/.exec(said);
        if (found) resolve(found[1]!);
      });
    });
    const socket = new WebSocket(address, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Browser(child, socket, profile);
  }

  async page(): Promise<Page> {
    const { browserContextId } = await this.send('Target.createBrowserContext', {});
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return Page.open(this, sessionId, browserContextId);
  }

  send(method: string, params: object, sessionId?: string): Promise<any> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    });
  }

  on(sessionId: string, method: string, told: Told): void {
    const session = this.#heard.get(sessionId) ?? new Map<string, Told[]>();
    this.#heard.set(sessionId, session);
    session.set(method, [...(session.get(method) ?? []), told]);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    await Promise.race([this.send('Browser.close', {}), gone]);
    await gone;
    this.#socket.terminate();
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  #take({ id, method, params, result, error, sessionId }: any): void {
    if (id === undefined) {
      for (const told of this.#heard.get(sessionId)?.get(method) ?? []) told(params);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}

/** One page with a profile of its own. It remembers what went wrong in it, and every address that it asked for. */
export class Page {
  readonly problems: string[] = [];
  readonly asked: string[] = [];
  readonly #browser: Browser;
  readonly #session: string;
  readonly #context: string;

  private constructor(browser: Browser, session: string, context: string) {
    this.#browser = browser;
    this.#session = session;
    this.#context = context;
  }

  static async open(browser: Browser, session: string, context: string): Promise<Page> {
    const page = new Page(browser, session, context);
    const on = (method: string, told: Told) => browser.on(session, method, told);
    on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) =>
      page.problems.push(`${text} ${exception?.description ?? ''}`),
    );
    on('Runtime.consoleAPICalled', ({ type, args }) => {
      if (type === 'error' || type === 'warning') page.problems.push(args.map((one: any) => one.value).join(' '));
    });
    on('Log.entryAdded', ({ entry }) => {
      if (entry.level === 'error' || entry.level === 'warning') page.problems.push(`${entry.text} ${entry.url ?? ''}`);
    });
    on('Page.javascriptDialogOpening', ({ message }) => {
      page.problems.push(`a dialog: ${message}`);
      void page.send('Page.handleJavaScriptDialog', { accept: false });
    });
    on('Network.requestWillBeSent', ({ request }) => page.asked.push(request.url));
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`, {});
    return page;
  }

  send(method: string, params: object): Promise<any> {
    return this.#browser.send(method, params, this.#session);
  }

  async look({ width = 1280, height = 900, dark = false, calm = false, touch = false }: Look): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    const features = [
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'prefers-reduced-motion', value: calm ? 'reduce' : 'no-preference' },
    ];
    await this.send('Emulation.setEmulatedMedia', { features });
    await this.send('Emulation.setTouchEmulationEnabled', { enabled: touch });
  }

  async go(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
    await this.until("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** The value of an expression, which may be a promise. */
  async run<T = any>(expression: string): Promise<T> {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits in the page, which looks again when something in it has changed, and now and then. */
  async until(expression: string, patience = PATIENCE): Promise<void> {
    const end = Date.now() + patience;
    for (;;) {
      // A page that is left takes the question with it.
      const found = await this.run<boolean>(waitingFor(expression)).catch(() => false);
      if (found) return;
      if (Date.now() > end) throw new Error(`never true: ${expression}\n${await this.run('document.body.innerText')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  text(selector = 'body'): Promise<string> {
    return this.run(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
  }

  async key(key: string): Promise<void> {
    const pressed = { key, ...(key.length === 1 ? { text: key } : NAMED_KEYS[key]) };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...pressed });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  async picture(whole = true): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
    return Buffer.from(data, 'base64');
  }

  close(): Promise<void> {
    return this.#browser.send('Target.disposeBrowserContext', { browserContextId: this.#context });
  }
}
