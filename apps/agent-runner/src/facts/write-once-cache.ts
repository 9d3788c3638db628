/** Keeps what is read from write-once facts, the least recently used going first. A failed read is not kept. */
export class WriteOnceCache<Value> {
  private readonly entries = new Map<string, Promise<Value>>();

  constructor(private readonly entriesMax: number) {}

  /** What this process has written itself and so need not read. */
  put(key: string, value: Value): void {
    void this.get(key, () => Promise.resolve(value));
  }

  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.entries.get(key);
    if (known) {
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    const reading = read();
    this.entries.set(key, reading);
    reading.catch(() => this.entries.delete(key));
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.entriesMax && oldest !== undefined) this.entries.delete(oldest);
    return reading;
  }
}
