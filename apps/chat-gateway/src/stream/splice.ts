/**
 * Joins what was read of a chain with what comes in live, by sequence: everything once and in order, though the live
 * part was followed before the chain was read (so that nothing falls between the two).
 */
export class Splice<Entry extends { seq: number }> {
  private lastSeq: number;
  private early: Entry[] | undefined = [];

  /** Entries up to `afterSeq` are known to the reader already. */
  constructor(
    afterSeq: number,
    private readonly emit: (entry: Entry) => void,
  ) {
    this.lastSeq = afterSeq;
  }

  live(entry: Entry): void {
    if (this.early) this.early.push(entry);
    else this.pass(entry);
  }

  /** To be called once, with the chain as it was read after the live part was followed. */
  read(chain: readonly Entry[]): void {
    const early = this.early ?? [];
    this.early = undefined;
    for (const entry of [...chain, ...early]) this.pass(entry);
  }

  private pass(entry: Entry): void {
    if (entry.seq <= this.lastSeq) return;
    this.lastSeq = entry.seq;
    this.emit(entry);
  }
}
