/** Commands that change, fetch or destroy. Reading ones are what an operator does all day. */
const COMMANDS: readonly RegExp[] = [
  /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n"]{0,80}?(?:\[?:\]?\/\/|\b\w[\w-]*\.[a-z]{2,})[^\s"|;]*/g,
  /\|\s?(?:sudo )?(?:ba|z|k)?sh\b/g,
  /\brm (?:-[a-z]+ )+\S+/g,
  /\bkubectl (?:-\S+ )*(?:delete|apply|exec|patch|edit|scale|drain|cordon|taint|create|replace|run|cp|set|annotate|label|rollout (?:undo|restart))\b[^\n"]{0,60}/g,
  /\bhelm (?:uninstall|upgrade|rollback|install|delete)\b[^\n"]{0,60}/g,
  /\b(?:drop|truncate) (?:table|database|schema|stream)\b[^\n"]{0,40}/g,
  /\b(?:delete from|update \w+ set|grant all|alter (?:role|user|system))\b[^\n"]{0,60}/g,
  /\b(?:chmod|chown|mkfs(?:\.[a-z0-9]+)?|iptables|setenforce|usermod|visudo|crontab|certutil|powershell|iex)\b [^\n"]{1,60}/g,
  /\bsystemctl (?:stop|disable|mask|restart)\b \S+/g,
  /\bdocker (?:rm|rmi|run|exec|kill|system prune)\b[^\n"]{0,60}/g,
  /\b(?:terraform|aws|gcloud|az|nats|redis-cli|etcdctl)\b[^\n"]{0,40}\b(?:destroy|delete|rm|purge|flushall|flushdb|terminate\S*)\b/g,
  /\b(?:base64|openssl) [^\n"]{0,30}-(?:d|-decode)\b/g,
  /\b(?:python3?|perl|ruby|node|bash|sh) -[ce]\b[^\n"]{0,60}/g,
  /\bkill(?:all)? (?:-\w+ )?\S+/g,
];

/** The same, wherever one begins: the arguments of one command may hold the next. */
const ANYWHERE = COMMANDS.map(({ source }) => new RegExp(`(?=(${source}))`, 'g'));

const STEM_WORDS = 3;
const STEM_CHARS_MAX = 200;
/** White space, and what stands between the strings of a document, see text-index. */
const BREAK = /[\s\u0001]+/; // eslint-disable-line no-control-regex

const trimmed = (words: readonly string[]): string => words.join(' ').replace(/[.,;:!?)\]}'"`\\]+$/, '');

/** As much of a command as makes it one, so that an argument or a full stop more or less does not hide it. */
const stemOf = (command: string): string =>
  trimmed(command.trim().slice(0, STEM_CHARS_MAX).split(BREAK, STEM_WORDS));

/** The commands in a text of plain-letters, up to their third word. */
export const commandStems = (plain: string): string[] => [
  ...new Set(
    ANYWHERE.flatMap((pattern) => [...plain.matchAll(pattern)].map((match) => stemOf(match[1] ?? ''))),
  ),
];

/**
 * Those of the commands that a text of plain-letters gives. It is searched for what they begin with, of which there is little, so that
 * it takes no longer for a draft of a thousand commands.
 */
export const stemsIn = (wanted: ReadonlySet<string>, plain: string): Set<string> => {
  const found = new Set<string>();
  const length = Math.min(STEM_CHARS_MAX, ...[...wanted].map((stem) => stem.length));
  const heads = new Set([...wanted].map((stem) => stem.slice(0, length)));
  const keys = new Set([...wanted].map((stem) => /^[a-z]+|^./.exec(stem)?.[0] ?? stem));
  for (const key of keys) {
    for (let at = plain.indexOf(key); at >= 0; at = plain.indexOf(key, at + key.length)) {
      if (!heads.has(plain.slice(at, at + length))) continue;
      const words = plain.slice(at, at + STEM_CHARS_MAX).split(BREAK, STEM_WORDS);
      for (let n = 1; n <= words.length; n += 1) {
        const stem = trimmed(words.slice(0, n));
        if (wanted.has(stem)) found.add(stem);
      }
    }
  }
  return found;
};
