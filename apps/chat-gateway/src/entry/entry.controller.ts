import { Controller, Inject, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { entryCancel, entryRequest } from '@inquest/contracts/platform-facts';
import { problem } from '@inquest/contracts/problem';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { Poison, type WorkContext } from '@inquest/event-log/work';
import { PassThroughFilter } from '@inquest/service-shell/jetstream-strategy';
import type { PublisherGrant } from '../config';
import { parsed, ProblemError } from '../http/problem-error';
import { refusalOf } from '../http/refusal';
import { RunCanceller } from '../runs/cancel-run';
import { acceptBody } from '../runs/new-run';
import { runIdForEntry } from '../runs/run-id';
import { RunReader } from '../runs/run-reader';
import { RunStarter } from '../runs/start-run';
import { CONFIGURED_SOURCES, PUBLISHERS } from '../injection-keys';
import { EntryAnswers, type EntryPlace } from './entry-answers';
import { parseEntrySubject, tenantFor } from './entry-subject';

/** A request may still be at work beside its own cancellation; after this long it was refused. */
const REQUEST_SETTLES_MS = 3_000;

/**
 * The bus entry: what platform gateways write below their own token becomes runs, by the same rules as over HTTP. The
 * filter stands here since an HTTP application with a microservice beside it takes none for the latter: without it the
 * transport could not tell a wait from a failure.
 */
@Controller()
@UseFilters(PassThroughFilter)
export class EntryController {
  constructor(
    private readonly starter: RunStarter,
    private readonly canceller: RunCanceller,
    private readonly answers: EntryAnswers,
    private readonly reader: RunReader,
    @Inject(PUBLISHERS) private readonly publishers: readonly PublisherGrant[],
    @Inject(CONFIGURED_SOURCES) private readonly sources: ReadonlySet<string> | undefined,
  ) {}

  @EventPattern('entry')
  async onEntry(message: StoredMessage, context: WorkContext): Promise<void> {
    const entry = parseEntrySubject(message.subject);
    if (!entry) throw new Poison(`${message.subject} is no entry`);
    try {
      await (entry.kind === 'request' ? this.request(entry, message) : this.cancel(entry, message, context));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.answers.say(entry, { kind: 'REFUSED', problem: error.problem });
    }
  }

  private async request(place: EntryPlace, { data }: StoredMessage): Promise<void> {
    const { tenant: named, ...raw } = parsed('request', entryRequest.schema, data);
    const tenant = this.tenantOf(place, named);
    const accepted = acceptBody(raw, this.sources);
    const { publisher, key } = place;
    const runId = runIdForEntry(tenant, publisher, key);
    const asker = { tenant, principal: `${tenant}/${publisher}`, entry: { publisher, key } };
    const started = await this.starter.start(runId, true, asker, accepted);
    if ('gate' in started) {
      // The old path was never on the bus.
      if (started.gate.kind === 'LEGACY')
        throw new ProblemError('not-cut-over', { detail: problem('not-cut-over').title });
      throw refusalOf(started.gate);
    }
    this.answers.say(place, { kind: 'ACCEPTED', runId });
    await this.answers.whenEnded(runId, place);
  }

  /** The key names a run in each tenant of the publisher; there is more than one only if it asked for several under it. */
  private async cancel(
    place: EntryPlace,
    { data, storedAtMs }: StoredMessage,
    context: WorkContext,
  ): Promise<void> {
    parsed('cancellation', entryCancel.schema, data);
    const { publisher, key } = place;
    let found = 0;
    for (const tenant of this.tenantsOf(place)) {
      const runId = runIdForEntry(tenant, publisher, key);
      if (!(await this.reader.request(runId))) continue;
      found += 1;
      await this.canceller.cancel(runId, tenant, { cause: 'PERSON', principal: `${tenant}/${publisher}` });
      this.answers.say(place, { kind: 'ACCEPTED', runId });
    }
    if (found > 0) return;
    if (Date.now() - storedAtMs < REQUEST_SETTLES_MS) context.retryLater(250);
    throw new ProblemError('not-found', { detail: 'Nothing was asked under this key.' });
  }

  private tenantsOf({ publisher }: EntryPlace): readonly string[] {
    return this.publishers.find((grant) => grant.publisher === publisher)?.tenants ?? [];
  }

  private tenantOf({ publisher }: EntryPlace, named: string | undefined): string {
    const choice = tenantFor(this.publishers, publisher, named);
    if ('refused' in choice) throw new ProblemError(choice.refused, { detail: choice.detail });
    return choice.tenant;
  }
}
