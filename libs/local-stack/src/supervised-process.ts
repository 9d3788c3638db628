import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog, tailOf } from './log-files';
import { removePidFile, writePidFile } from './pid-files';
import { restartDelayMs, STEADY_AFTER_MS } from './restart-delay';
import { StackError } from './stack-error';

/** Everything needed to run one process of the stack, again and again. */
export type ProcessPlan = {
  /** Unique within the stack; names the log and the pid file. */
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  uid?: number;
  gid?: number;
  /** An IPC channel, by which a Node service reports `{ready: true}`. */
  ipc?: boolean;
  logFile: string;
  pidDir: string;
  stopSignal: NodeJS.Signals;
  stopTimeoutMs: number;
  readyTimeoutMs: number;
  /** Resolves once the process serves; `signal` aborts when it died or the time is up. */
  awaitReady: (child: ChildProcess, signal: AbortSignal) => Promise<void>;
};

export type ProcessState = 'STOPPED' | 'STARTING' | 'READY' | 'BACKING_OFF';
export type ProcessNote = (line: string) => void;

/**
 * Keeps one child process alive: starts it, waits until it is ready, starts it again after a death with a bounded
 * delay, and stops it in order. Children lead their own process group, so that a Ctrl-C in the terminal reaches the
 * supervisor alone, which then stops them one after the other.
 */
export class SupervisedProcess {
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private wanted = false;
  private deaths = 0;
  private readySince = 0;
  private logStart = 0;
  private backOff = new AbortController();
  state: ProcessState = 'STOPPED';

  constructor(
    private plan: ProcessPlan,
    private readonly note: ProcessNote = () => undefined,
  ) {}

  get name(): string {
    return this.plan.name;
  }

  get pid(): number | undefined {
    return this.state === 'STOPPED' || this.state === 'BACKING_OFF' ? undefined : this.child?.pid;
  }

  /** Starts and waits for readiness; a process that dies or hangs before is a {@link StackError} with its last lines. */
  async start(): Promise<void> {
    this.wanted = true;
    this.backOff = new AbortController();
    try {
      await this.launch();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves when the process is ready, through restarts; rejects after the deadline. */
  async whenReady(timeoutMs = 15_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.state !== 'READY') {
      if (performance.now() > deadline) {
        throw new StackError(
          `${this.name} was not ready within ${timeoutMs} ms\n${tailOf(this.plan.logFile, 5)}`,
        );
      }
      await sleep(10);
    }
  }

  async stop(): Promise<void> {
    this.wanted = false;
    this.backOff.abort();
    await this.halt();
    this.state = 'STOPPED';
  }

  /** Kills without warning, as a crash would; the supervisor brings the process back. Resolves when it is dead. */
  async kill9(): Promise<void> {
    const gone = this.exited;
    this.child?.kill('SIGKILL');
    await gone;
  }

  /** Stops in order and starts again; `env` is added to its environment from then on. */
  async restart(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop();
    this.plan = { ...this.plan, env: { ...this.plan.env, ...env } };
    await this.start();
  }

  private async halt(): Promise<void> {
    const { child } = this;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill(this.plan.stopSignal);
      const tooLate = sleep(this.plan.stopTimeoutMs, 'too late' as const, { ref: false });
      if ((await Promise.race([this.exited, tooLate])) === 'too late') child.kill('SIGKILL');
    }
    await this.exited;
  }

  private async launch(): Promise<void> {
    const { plan } = this;
    this.state = 'STARTING';
    const log = openLog(plan.logFile);
    this.logStart = fstatSync(log).size;
    const child = spawn(plan.command, plan.args, {
      cwd: plan.cwd,
      env: { ...plan.env },
      stdio: plan.ipc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      detached: true,
      ...(plan.uid === undefined ? {} : { uid: plan.uid, gid: plan.gid }),
    });
    closeSync(log);
    this.child = child;
    const dead = new AbortController();
    this.exited = new Promise((resolve) => {
      child.once('error', (cause) => {
        dead.abort(cause);
        resolve();
      });
      child.once('exit', (code, signal) => {
        dead.abort(new Error(`exited with ${signal ?? code}`));
        this.onExit(child, code, signal);
        resolve();
      });
    });
    if (child.pid !== undefined) writePidFile(plan.pidDir, plan.name, child.pid, plan.stopSignal);
    await this.becomeReady(child, dead.signal);
  }

  private async becomeReady(child: ChildProcess, dead: AbortSignal): Promise<void> {
    const { plan } = this;
    const signal = AbortSignal.any([dead, AbortSignal.timeout(plan.readyTimeoutMs)]);
    const given = new Promise<never>((_, reject) => {
      const fail = () => reject(signal.reason as Error);
      if (signal.aborted) fail();
      else signal.addEventListener('abort', fail, { once: true });
    });
    try {
      await Promise.race([plan.awaitReady(child, signal), given]);
      dead.throwIfAborted();
    } catch (cause) {
      const why = dead.aborted
        ? (dead.reason as Error).message
        : `was not ready within ${plan.readyTimeoutMs} ms`;
      const lines = tailOf(plan.logFile, 5, this.logStart);
      throw new StackError(`${plan.name} ${why}${lines ? `\n${lines}` : ''}`, { cause });
    }
    this.readySince = performance.now();
    this.state = 'READY';
  }

  private onExit(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (child !== this.child) return;
    removePidFile(this.plan.pidDir, this.name);
    const wasReady = this.state === 'READY';
    if (!this.wanted) {
      this.state = 'STOPPED';
      return;
    }
    // A death before the first readiness is told to the caller of start(), who decides.
    if (!wasReady) return;
    this.note(`${this.name} died (${signal ?? `exit ${code}`}); starting it again`);
    void this.comeBack();
  }

  private async comeBack(): Promise<void> {
    if (performance.now() - this.readySince > STEADY_AFTER_MS) this.deaths = 0;
    while (this.wanted) {
      this.deaths += 1;
      this.state = 'BACKING_OFF';
      try {
        await sleep(restartDelayMs(this.deaths), undefined, { signal: this.backOff.signal });
      } catch {
        return;
      }
      if (!this.wanted) return;
      try {
        await this.launch();
        return;
      } catch (error) {
        if (!this.wanted) return;
        this.note(`${this.name} did not come back: ${(error as Error).message.split('\n')[0]}`);
        await this.halt();
      }
    }
  }
}
