import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Logger, Param, Res } from '@nestjs/common';
import { sha256 } from '@inquest/contracts/canonical-json';
import type { Explanation } from '@inquest/contracts/explanation';
import { RunId } from '@inquest/contracts/ids';
import { bundleText } from '@inquest/evidence-bundle/make-bundle';
import { explainRun } from '@inquest/evidence-bundle/explain/explain-run';
import type { Response } from 'express';
import { CurrentCaller } from '../http/authenticate';
import type { Caller } from '../http/callers';
import { parsed } from '../http/problem-error';
import { Scopes } from '../http/scopes';
import { BundleReader } from './bundle-reader';

const CHUNK_BYTES = 64 * 1024;

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
}

@Controller('v1/runs/:runId')
export class BundlesController {
  private readonly logger = new Logger(BundlesController.name);

  constructor(private readonly bundles: BundleReader) {}

  /**
   * Not for `ask`: a bundle re-checks a run as a whole, so it holds the calls that the report does not cite and the drafts that
   * were rejected, none of which `ask` may open; with those left out the guard could not be run again.
   */
  @Get('bundle')
  @Scopes('operate', 'audit')
  async bundle(
    @Param('runId') id: string,
    @CurrentCaller() caller: Caller,
    @Res() response: Response,
  ): Promise<void> {
    const runId = parsed('run id', RunId, id);
    const bytes = Buffer.from(bundleText(await this.bundles.read(runId, caller.tenant)), 'utf8');
    const digest = Buffer.from(sha256(bytes), 'hex').toString('base64');
    response.status(200).set({
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(bytes.length),
      'Content-Disposition': `attachment; filename="${runId}.bundle.json"`,
      'Repr-Digest': `sha-256=:${digest}:`,
    });
    // A client that goes away has all that it wanted.
    await pipeline(Readable.from(chunksOf(bytes)), response).catch((error: Error) =>
      this.logger.debug(`the bundle of ${runId} was not read to its end: ${error.message}`),
    );
  }

  /** Rejected drafts are shown to those who operate the system, and to nobody else. */
  @Get('explanation')
  @Scopes('ask', 'operate', 'audit')
  async explanation(@Param('runId') id: string, @CurrentCaller() caller: Caller): Promise<Explanation> {
    const bundle = await this.bundles.read(parsed('run id', RunId, id), caller.tenant);
    return explainRun(bundle, { withDrafts: caller.scopes.has('operate') });
  }
}
