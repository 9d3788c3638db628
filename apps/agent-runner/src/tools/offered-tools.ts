import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OfferedTool } from '@inquest/model-client/chat-request';
import {
  KNOWLEDGE_LOOKUP,
  TOOL_CATALOGUE,
  catalogueEntry,
  type CatalogueEntry,
} from '@inquest/toolsets/catalogue';
import type { Environments } from '@inquest/toolsets/sources/environment';
import type { ReadOnlyTool } from '@inquest/toolsets/tool';
import { ENVIRONMENTS } from './injection-keys';

const offered = ({ name, description, parameters }: CatalogueEntry): OfferedTool => ({
  type: 'function',
  function: { name, description, parameters },
});

/** What is offered where a run names no source, or one that is not configured: every tool whose answer would say so. */
export const OFFERED_WITHOUT_SOURCE: readonly OfferedTool[] = [...TOOL_CATALOGUE.values()].map(offered);

const KNOWLEDGE = offered(catalogueEntry(KNOWLEDGE_LOOKUP));
/** A source that does not tell its tools within this time is asked again with the next turn. */
const LISTING_MS = 5_000;

/** The tools that a run's source can serve, as chat completions endpoints take them. */
@Injectable()
export class OfferedTools {
  private readonly logger = new Logger(OfferedTools.name);
  private readonly known = new WeakMap<ReadOnlyTool, OfferedTool>();

  constructor(@Inject(ENVIRONMENTS) private readonly environments: Environments) {}

  async of(source: string | null): Promise<OfferedTool[]> {
    const environment = source === null ? undefined : this.environments.find(source);
    if (environment === undefined) return [...OFFERED_WITHOUT_SOURCE];
    const { tools, silent } = await environment.tools(AbortSignal.timeout(LISTING_MS));
    if (silent.length > 0) this.logger.warn(`${environment.name}: no tools of ${silent.join(', ')}`);
    return [...tools.map((tool) => this.entryOf(tool)), KNOWLEDGE];
  }

  private entryOf(tool: ReadOnlyTool): OfferedTool {
    const known = this.known.get(tool) ?? offered(catalogueEntry(tool));
    this.known.set(tool, known);
    return known;
  }
}
