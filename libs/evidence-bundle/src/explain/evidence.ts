import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { leavesOf, resolvePointer, toPointer } from '@inquest/evidence-rules/json-pointer';
import { quoteOffset } from '@inquest/evidence-rules/quote-search';
import { TextIndex } from '@inquest/evidence-rules/text-index';
import { textOf } from '../facts-of-bundle';

export type Source = { toolCallId: ToolCallId; tool: string };
type Known = Source & { entry: LedgerEntry | null; index: TextIndex | null };

/** A scalar of a projection; `index` answers whether a number or time stands in it, and is null where none can. */
export type Leaf = { path: string; value: string | number | boolean | null; index: TextIndex | null };

const FOUND_CHARS_MAX = 1_000;
const POINTER_CHARS_MAX = 300;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A value as it is shown: scalars as they stand, cut where they are long; of anything larger, its size. */
const shown = (value: unknown): unknown => {
  if (typeof value === 'string') return value.slice(0, FOUND_CHARS_MAX);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object of ${Object.keys(value).length} members`;
  return value ?? null;
};

/** The run's projections as questions are asked of them. */
export class Evidence {
  private readonly calls: ReadonlyMap<string, Known>;
  private readonly scalars = new Map<string, Leaf[]>();

  constructor(bundle: EvidenceBundle) {
    this.calls = new Map(
      bundle.ledger.map((call): [string, Known] => {
        if (call.kind === 'NO_RESULT')
          return [
            call.toolCallId,
            { toolCallId: call.toolCallId, tool: call.tool.slice(0, 128), entry: null, index: null },
          ];
        const { entry } = call;
        const text = textOf(bundle, entry.projection);
        const index = text === undefined ? null : new TextIndex(text, parsed(text));
        return [entry.toolCallId, { toolCallId: entry.toolCallId, tool: entry.tool, entry, index }];
      }),
    );
  }

  source(toolCallId: ToolCallId): Source {
    return { toolCallId, tool: this.calls.get(toolCallId)?.tool ?? '' };
  }

  entry(toolCallId: string): LedgerEntry | null {
    return this.calls.get(toolCallId)?.entry ?? null;
  }

  index(toolCallId: string): TextIndex | null {
    return this.calls.get(toolCallId)?.index ?? null;
  }

  /** The value at a JSON pointer of the call's projection, fit to be shown; null where it cannot be had. */
  at(toolCallId: string, path: string): unknown {
    const index = this.index(toolCallId);
    const found = index && resolvePointer(index.document, path);
    return found?.found === true ? shown(found.value) : null;
  }

  /** Every scalar of the call's projection, prepared once for all numbers that are looked for in it. */
  leaves(toolCallId: string): readonly Leaf[] {
    const known = this.scalars.get(toolCallId);
    if (known) return known;
    const found = [...leavesOf(this.index(toolCallId)?.document ?? null)].flatMap(
      ({ path, value }): Leaf[] => {
        const pointer = toPointer(path);
        if (pointer.length > POINTER_CHARS_MAX) return [];
        const holdsDigits = typeof value === 'string' && /\d/.test(value);
        return [
          { path: pointer, value, index: holdsDigits ? new TextIndex(JSON.stringify(value), value) : null },
        ];
      },
    );
    this.scalars.set(toolCallId, found);
    return found;
  }

  /** Where a text begins in the projection, in UTF-16 units. */
  offset(toolCallId: string, text: string): number | null {
    const index = this.index(toolCallId);
    return index && quoteOffset(index, text);
  }
}
