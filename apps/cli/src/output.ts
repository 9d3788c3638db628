import { COLOURED, PLAIN, type Style } from './render/style';

type Sink = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const COLUMNS_DEFAULT = 100;

/**
 * Where a command's words go. A person gets everything on stdout; with --json stdout carries the JSON line alone and
 * the rest goes to stderr.
 */
export class Output {
  readonly style: Style;
  readonly columns: number;
  private statusShown = '';

  constructor(
    private readonly stdout: Sink,
    private readonly stderr: Sink,
    readonly json: boolean,
    colour: (isTerminal: boolean) => boolean,
  ) {
    const people = this.people;
    this.style = colour(people.isTTY === true) ? COLOURED : PLAIN;
    this.columns = people.isTTY === true ? (people.columns ?? COLUMNS_DEFAULT) : COLUMNS_DEFAULT;
  }

  private get people(): Sink {
    return this.json ? this.stderr : this.stdout;
  }

  /** Lines for a person. */
  lines(...lines: readonly string[]): void {
    this.clearStatus();
    if (lines.length > 0) this.people.write(`${lines.join('\n')}\n`);
  }

  /** What happens around the command: starting, waiting, warnings. Never on stdout. */
  note(line: string): void {
    this.clearStatus();
    this.stderr.write(`${line}\n`);
  }

  /** The one line of `--json`. */
  result(value: unknown): void {
    if (this.json) this.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A line that is overwritten by whatever comes next; nothing where there is no terminal. */
  status(text: string): void {
    if (this.people.isTTY !== true || text === this.statusShown) return;
    this.people.write(`\r\u001b[2K${this.style.dim(text.slice(0, this.columns - 1))}`);
    this.statusShown = text;
  }

  private clearStatus(): void {
    if (this.statusShown === '') return;
    this.people.write('\r\u001b[2K');
    this.statusShown = '';
  }
}
