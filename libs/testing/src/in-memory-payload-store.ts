import { sha256 } from '@inquest/contracts/canonical-json';
import { PayloadUnusable, type PayloadStore } from '@inquest/event-log/event-log';

/** The payload port in one process, with the same names-by-content and the same check on reading. */
export class InMemoryPayloadStore implements PayloadStore {
  readonly texts = new Map<string, string>();

  async put(tenant: string, text: string): Promise<string> {
    const name = sha256(`${tenant}\0${text}`);
    this.texts.set(name, text);
    return name;
  }

  async get(name: string, expected: { sha256: string; bytes: number }): Promise<string> {
    const text = this.texts.get(name);
    if (text === undefined) throw new PayloadUnusable(name, 'it is not there');
    if (sha256(text) !== expected.sha256)
      throw new PayloadUnusable(name, 'its digest is not the expected one');
    return text;
  }
}
