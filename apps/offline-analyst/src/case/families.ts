/** The ways in which systems fail, as coarse as a hypothesis has to be before anything was read. */
export type Family = 'RESOURCE' | 'PLACEMENT' | 'ROUTING' | 'SETTING' | 'NODE' | 'DEPENDENCY' | 'QUIET';

type FamilyText = {
  /** Part of a hypothesis's statement, by which it is known again. */
  phrase: string;
  confirmedBy: string;
  refutedBy: string;
  /** Words of a question that point here. */
  hint: RegExp;
};

export const FAMILIES: Record<Family, FamilyText> = {
  RESOURCE: {
    phrase: 'a bounded resource is used up (connections, memory, CPU, disk, a queue, locks)',
    confirmedBy:
      'a level that stands at its limit, containers ended for want of memory, or lines that name the limit',
    refutedBy: 'levels that stay well below their limits while the trouble lasts',
    hint: /slow|latency|time-?outs?|performance|degrad|pool|memory|cpu|disk|queue|restart/i,
  },
  PLACEMENT: {
    phrase: 'instances cannot be created, placed or started (quota, scheduling, volume, image, crash)',
    confirmedBy: 'instances that are pending, crash or are missing, with an event or a state that says why',
    refutedBy: 'instances that all run and are ready',
    hint: /unreachab|unavailab|availability|disrupt|down|pending|crash|start/i,
  },
  ROUTING: {
    phrase: 'requests do not reach healthy instances (selector, port, address)',
    confirmedBy: 'a selector, port or address that does not fit what runs behind it',
    refutedBy: 'endpoints behind the service and ports that fit',
    hint: /unreachab|connect|route|refused|404|503/i,
  },
  SETTING: {
    phrase: 'a change or a setting is wrong (release, probe, credentials, name, certificate)',
    confirmedBy: 'a change shortly before the first error, or lines and events that name the wrong setting',
    refutedBy: 'no change before the first error, and no line that names a setting',
    hint: /restart|since|after|deploy|release|config|certificate|login|abnormal/i,
  },
  NODE: {
    phrase: 'a node or one of its services fails',
    confirmedBy: 'a node that is not ready, or whose services are stopped',
    refutedBy: 'nodes that are all ready',
    hint: /node|host|cluster|network/i,
  },
  DEPENDENCY: {
    phrase: 'a dependency fails by itself and takes its callers with it',
    confirmedBy: 'errors of the dependency itself, earlier than those of its callers',
    refutedBy: 'dependencies that log no error and run',
    hint: /fail|error|partial|upstream|depend/i,
  },
  QUIET: {
    phrase: 'nothing lasting is wrong',
    confirmedBy: 'no firing alert, no lasting errors, and steady error ratios and latencies',
    refutedBy: 'an alert that is firing, or errors that last to the end of the data',
    hint: /anything|quiet|felt|is there|normal\b|fine\b/i,
  },
};

export const FAULT_FAMILIES = (Object.keys(FAMILIES) as Family[]).filter((family) => family !== 'QUIET');

/** In this order; the first that fits a cause counts. */
const CAUSES: readonly [RegExp, Family][] = [
  [/_QUOTA_|SERVICE_ACCOUNT|CAPACITY|AFFINITY|SELECTOR_MISMATCH$|CORDON|TAINT|PVC?_|VOLUME/, 'PLACEMENT'],
  [/^IMAGE_|_IMAGE_|CRASH_LOOP|ZERO_REPLICAS|HOST_PORT|MISSING_SECRET/, 'PLACEMENT'],
  [/^NODE_(?:DISK|MEMORY|NETWORK)|KUBELET|CONTAINERD|KUBE_PROXY|KUBE_SCHEDULER|RUNTIME_UNAVAILABLE/, 'NODE'],
  [/POOL|LIMIT_REACHED|DEADLOCK|LOCK|OVERLOAD|THROTTLED|OOM|MEMORY|DISK|QUEUE|STORE_TROUBLE/, 'RESOURCE'],
  [/^DEPENDENCY_|SERVICE_FAILING/, 'DEPENDENCY'],
  [/^SERVICE_(?:SELECTOR|PORT|PROTOCOL|ENV|SIDECAR)|MISROUTE/, 'ROUTING'],
];

/** The family of a cause of the vocabulary. Whatever is left is some setting. */
export const familyOfCause = (cause: string): Family => {
  if (/^SERVICE_(?:SELECTOR|PORT|PROTOCOL|ENV|SIDECAR)/.test(cause)) return 'ROUTING';
  return CAUSES.find(([pattern]) => pattern.test(cause))?.[1] ?? 'SETTING';
};

/** Which families a statement speaks of; words help where somebody else has written it. */
export const familiesOfStatement = (statement: string): Family[] => {
  const text = statement.toLowerCase();
  const named = (Object.keys(FAMILIES) as Family[]).filter((family) =>
    text.includes(FAMILIES[family].phrase.toLowerCase()),
  );
  if (named.length > 0) return named;
  const guessed = WORDS.find(([pattern]) => pattern.test(text))?.[1];
  return guessed ? [guessed] : [];
};

const WORDS: readonly [RegExp, Family][] = [
  [/no (?:lasting )?(?:fault|problem)|nothing (?:lasting |is )?wrong/, 'QUIET'],
  [/\bnodes?\b.{0,40}(?:fail|down|not ready|unhealthy)|kubelet|kube-proxy|container runtime/, 'NODE'],
  [/schedul|\bquota\b|image pull|pending|crash ?loop|volume claim|scaled to (?:0|zero)/, 'PLACEMENT'],
  [/selector|target port|endpoints?\b|misrout/, 'ROUTING'],
  [/pool|out of memory|\boom\b|\bcpu\b|disk (?:is )?full|backlog|deadlock|saturat|exhaust/, 'RESOURCE'],
  [/config|deploy|release|credential|password|certificate|probe|\bdns\b/, 'SETTING'],
  [/dependen|upstream|downstream/, 'DEPENDENCY'],
];
