import type { RawCall } from './chat-outcome';
import { isCompleteJson } from './json-answer';
import { isRecord } from '@inquest/contracts/json-object';
import { callStateOf } from './read-completion';

/** One call while its deltas arrive. */
type Slot = {
  index: number | null;
  id: unknown;
  name: string | undefined;
  /** The deltas read as pieces. */
  pieces: string;
  /** The deltas read as growing snapshots of the whole; undefined once one of them did not continue the last. */
  snapshot: string | undefined;
  object: Record<string, unknown> | undefined;
  state: Record<string, unknown>;
};

const hasId = (id: unknown): boolean => id !== undefined && id !== null && id !== '';

/**
 * Puts streamed calls together by (index, change of id, complete JSON). Servers repeat the index for every call, leave
 * it out, count it from 1, send the arguments under another one, repeat ids and names, or send snapshots for deltas.
 */
export class CallAssembly {
  private readonly slots: Slot[] = [];

  add(delta: unknown): void {
    if (!isRecord(delta)) return;
    const named = isRecord(delta.function) ? delta.function : {};
    const name = typeof named.name === 'string' && named.name !== '' ? named.name : undefined;
    const index = Number.isInteger(delta.index) ? (delta.index as number) : null;
    const slot = this.slotOf(index, delta.id, name) ?? this.open(index);
    if (hasId(delta.id) || slot.id === undefined) slot.id = delta.id;
    if (name !== undefined) slot.name = joinedName(slot.name, name);
    Object.assign(slot.state, callStateOf(delta));
    if (isRecord(named.arguments)) slot.object = named.arguments;
    else if (typeof named.arguments === 'string' && named.arguments !== '')
      addArguments(slot, named.arguments);
  }

  calls(): RawCall[] {
    return this.slots.map((slot) => ({
      id: slot.id,
      name: slot.name,
      arguments: argumentsOf(slot),
      state: slot.state,
    }));
  }

  /** Whether every call has arrived whole, as far as its arguments can tell. */
  get complete(): boolean {
    return this.slots.every((slot) => slot.object !== undefined || isCompleteJson(String(argumentsOf(slot))));
  }

  private open(index: number | null): Slot {
    const slot: Slot = {
      index,
      id: undefined,
      name: undefined,
      pieces: '',
      snapshot: '',
      object: undefined,
      state: {},
    };
    this.slots.push(slot);
    return slot;
  }

  /** The call that a delta continues; undefined where it begins another one. */
  private slotOf(index: number | null, id: unknown, name: string | undefined): Slot | undefined {
    const last = this.slots.at(-1);
    const continued = index === null ? last : this.slots.findLast((slot) => slot.index === index);
    if (hasId(id)) {
      if (continued && (continued.id === id || !hasId(continued.id)) && !beginsAnew(continued, id, name))
        return continued;
      // The same id and a name under a new index is a second call with that id, and must be seen as one.
      return index === null || name === undefined ? this.slots.findLast((slot) => slot.id === id) : undefined;
    }
    if (!continued) return name === undefined ? last : undefined;
    return beginsAnew(continued, id, name) ? undefined : continued;
  }
}

/** A name after complete arguments is the next call under a repeated index; snapshots repeat the id as well. */
const beginsAnew = (slot: Slot, id: unknown, name: string | undefined): boolean =>
  name !== undefined &&
  !(hasId(id) && slot.id === id) &&
  (slot.object !== undefined || isCompleteJson(slot.pieces));

const joinedName = (known: string | undefined, name: string): string => {
  if (known === undefined || name.startsWith(known)) return name;
  return known.endsWith(name) ? known : known + name;
};

const addArguments = (slot: Slot, text: string): void => {
  slot.pieces += text;
  if (slot.snapshot !== undefined) slot.snapshot = text.startsWith(slot.snapshot) ? text : undefined;
};

const argumentsOf = (slot: Slot): unknown => {
  if (slot.object !== undefined) return slot.object;
  const asSnapshot =
    slot.snapshot !== undefined && !isCompleteJson(slot.pieces) && isCompleteJson(slot.snapshot);
  return asSnapshot ? slot.snapshot : slot.pieces;
};
