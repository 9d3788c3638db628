/** Who follows which chain in this process. */
export class Followers<Entry> {
  private readonly byId = new Map<string, Set<(entry: Entry) => void>>();

  /** Calls back for every entry of this chain from now on, in order; returns the release. */
  follow(id: string, onEntry: (entry: Entry) => void): () => void {
    const listeners = this.byId.get(id) ?? new Set();
    this.byId.set(id, listeners.add(onEntry));
    return () => {
      listeners.delete(onEntry);
      if (listeners.size === 0 && this.byId.get(id) === listeners) this.byId.delete(id);
    };
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  tell(id: string, entry: Entry): void {
    for (const onEntry of [...(this.byId.get(id) ?? [])]) onEntry(entry);
  }
}
