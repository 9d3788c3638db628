import { Controller, Get, Param } from '@nestjs/common';
import { RunId, ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { CurrentCaller } from '../http/authenticate';
import type { Caller } from '../http/callers';
import { parsed } from '../http/problem-error';
import { Scopes } from '../http/scopes';
import { EvidenceReader } from './evidence-reader';

@Controller('v1/runs/:runId/evidence')
export class EvidenceController {
  constructor(private readonly evidence: EvidenceReader) {}

  @Get(':toolCallId')
  @Scopes('ask', 'operate', 'audit')
  open(
    @Param('runId') id: string,
    @Param('toolCallId') callId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<LedgerEntry> {
    return this.evidence.open(
      parsed('run id', RunId, id),
      parsed('tool call id', ToolCallId, callId),
      caller,
    );
  }
}
