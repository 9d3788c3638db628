/**
 * What diagnoses commonly assert, and what must be visible in evidence for it. A claim of one of these without its
 * grounding is refused whatever else the item says.
 */
export type Concept = { name: string; claimed: RegExp; grounded: RegExp; mechanism: boolean };

const concept = (name: string, claimed: RegExp, grounded: RegExp, mechanism = true): Concept => ({
  name,
  claimed,
  grounded,
  mechanism,
});

export const CONCEPTS: readonly Concept[] = [
  concept(
    'crash loop',
    /crash.?loop|keeps? crashing|crash(?:ed|es|ing)\b/i,
    /CrashLoopBackOff|back-?off restarting|"restart(?:s|Count)":[1-9]|exit(?: ?code|ed)|panic|crash|terminated|segmentation/i,
  ),
  concept(
    'out of memory',
    /\boom\b|oom.?kill|out of memory|memory limit/i,
    /OOM|out of memory|exit(?:Code|ed| code)?\W{1,4}137|memory limit|cannot allocate/i,
  ),
  concept(
    'image pull',
    /image.{0,24}(?:pull|reference|registry)|pull.{0,20}image|ImagePull/i,
    /ImagePull|ErrImage|pull(?:ing)? image|manifest unknown|pull access denied|registry/i,
  ),
  concept(
    'unschedulable',
    /unschedul|(?:cannot|could not|not) be (?:scheduled|placed)|fits? no node|no node (?:fits|accept)/i,
    /unschedul|FailedScheduling|nodes are available|Pending/i,
  ),
  concept(
    'stopped service',
    /does(?: not|n't) run\b|\bis (?:stopped|inactive|dead)\b/i,
    /inactive|\bdead\b|stopped|"active":"failed/i,
  ),
  concept('probe', /(?:liveness|readiness|startup)? ?probes?\b/i, /probe|Unhealthy/i),
  concept('protocol', /\bprotocol\b/i, /protocol|\bTCP\b|\bUDP\b/i),
  concept('quota', /quota/i, /quota/i),
  concept(
    'pool exhaustion',
    /(?:pool|connections?)\b.{0,50}\b(?:exhaust\w*|used up|in use|run out|ran out|saturat\w*|full)|exhaust\w*.{0,40}(?:pool|connections?)|(?:run|ran) out of connections|limit of connections/i,
    /pool|too many (?:clients|connections)|connection slots|trying to connect|QueuePool|acquire/i,
  ),
  concept(
    'idle in transaction',
    /idle in transaction|(?:leaked|abandoned|open|unfinished) transactions?|transactions? (?:left|kept|stayed?|remain\w*) open/i,
    /idle[ _-]in[ _-]transaction|transactionStartedAt|xact|oldest_transaction/i,
  ),
  concept('lock wait', /\blocks?\b|blocked by/i, /\block|blocked|blocking/i),
  concept('deadlock', /deadlock/i, /deadlock/i),
  concept(
    'authentication',
    /authenticat\w*|credentials?|password|access denied|permission|unauthori[sz]ed|forbidden/i,
    /authenticat|access denied|permission|password|unauthori[sz]ed|forbidden|\b40[13]\b|credential|denied/i,
  ),
  concept('refused', /refus(?:ed|es|al|ing)/i, /refused|ECONNREFUSED/i),
  concept('reset', /connection reset|reset by peer/i, /reset|ECONNRESET/i),
  concept('time-out', /time[d-]? ?-?outs?|timing out/i, /time[d-]? ?-?out|deadline exceeded|ETIMEDOUT/i),
  concept(
    'disk full',
    /disk.{0,40}full|(?:volume|file ?system).{0,20}full|no space|out of disk/i,
    /no space left|disk.?pressure|ENOSPC|disk|filesystem/i,
  ),
  concept('certificate', /certificate|\btls\b|\bx509\b/i, /certificate|x509|\btls\b|CERT_/i),
  concept(
    'name resolution',
    /\bdns\b|resolve|name resolution/i,
    /dns|no such host|ENOTFOUND|resolve|name resolution|EAI_AGAIN|UnknownHost|name or service not known|nodename nor servname|host not found/i,
  ),
  concept(
    'node not ready',
    /node.{0,40}(?:not ready|down|unreachable)/i,
    /NotReady|"Ready"|not ready|unreachable|NodeStatusUnknown/i,
  ),
  concept('eviction', /evict/i, /evict/i),
  concept('routing', /\broutes?\b/i, /route|\b404\b|not.?found|find instance|no servers available|upstream/i),
  concept(
    'no connection',
    /no connection|(?:cannot|can not|does not) connect/i,
    /connect|communications link|unreachable|refused|timed out/i,
  ),
  concept('taint', /taint|tolerat/i, /taint|tolerat/i),
  concept('affinity', /affinity|node selector/i, /affinity|selector/i),
  concept('volume', /volume|\bpvc?\b|mount/i, /volume|pvc?\b|mount/i),
  concept('selector', /selector/i, /selector|endpoints?/i),
  concept('port', /\bports?\b/i, /port/i),
  concept('replicas', /replicas?\b|instances?\b/i, /replica/i),
  concept('read-only', /read.?only/i, /read[- ]?only/i),
  concept(
    'missing configuration',
    /\b(?:configuration|secret|config ?map|setting|variable)s?\b/i,
    /secret|config|\benv|variable|setting/i,
  ),
  concept(
    'consumer lag',
    /\blag\b|backlog|falls? behind|queue.{0,20}(?:grow|depth|backlog)/i,
    /lag|pending|backlog|queue|depth/i,
  ),
  concept(
    'deployment',
    /\bdeploy\w*|roll(?:ed)? ?out|released? version|new version/i,
    /deploy|rollout|version|revision|ReplicaSet|image|replacing/i,
  ),
  concept(
    'configuration change',
    /config\w* change|changed? (?:its |the )?config|setting (?:was )?(?:changed|turned)/i,
    /config|changed|enabled/i,
  ),
  concept(
    'health',
    /\b(?:healthy|in (?:good )?order|ruled out|unaffected|works? (?:fine|normally)|operational)\b/i,
    /healthy|"ready":(?:true|"(\d+)\/\1")|Running|"status":"(?:ok|up)"/i,
    false,
  ),
  concept('latency', /latenc\w*|\bslow\w*/i, /latenc|duration|slow|_ms\b|took|seconds/i, false),
  concept(
    'failure',
    /\b(?:fail\w*|errors?)\b/i,
    /error|fail|exception|refused|time.?out|"5\d\d"|\b5\d\d\b|fatal|unavailable/i,
    false,
  ),
  concept('alert', /\balerts?\b/i, /alert|firing|startsAt/i, false),
  concept('restart', /restart\w*/i, /restart|Killing|Started|BackOff|uptime/i, false),
  concept(
    'network quality',
    /packet loss|loses packets|packets are lost|retransmi\w+|network.{0,30}(?:delay|slow)/i,
    /retrans|packet|network|latency|round.?trip/i,
  ),
  concept('cpu', /\bcpu\b/i, /cpu/i, true),
];

const NEGATED =
  /\b(?:no|not|never|without|neither|nor|none of|isn't|wasn't|aren't|weren't|didn't)\s+(?:\w+\s+){0,2}$/i;

export type Claim = { concept: Concept; negated: boolean };

/** The concepts that a text asserts or denies. */
export const claimsIn = (text: string): Claim[] =>
  CONCEPTS.flatMap((candidate) => {
    const match = candidate.claimed.exec(text);
    if (!match) return [];
    return [{ concept: candidate, negated: NEGATED.test(text.slice(0, match.index)) }];
  });
