/** Commands that change, fetch or destroy. Reading ones are what an operator does all day. */
const COMMANDS: readonly RegExp[] = [
  /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n"]{0,80}?(?:\[?:\]?\/\/|\b\w[\w-]*\.[a-z]{2,})[^\s"|;]*/g,
  /\|\s?(?:sudo )?(?:ba|z|k)?sh\b/g,
  /\brm (?:-[a-z]+ )+\S+/g,
  /\bkubectl (?:-\S+ )*(?:delete|apply|exec|patch|edit|scale|drain|cordon|taint|create|replace|run|cp|set|annotate|label|rollout (?:undo|restart))\b[^\n"]{0,60}/g,
  /\bhelm (?:uninstall|upgrade|rollback|install|delete)\b[^\n"]{0,60}/g,
  /\b(?:drop|truncate) (?:table|database|schema|stream)\b[^\n"]{0,40}/g,
  /\b(?:delete from|update \w+ set|grant all|alter (?:role|user|system))\b[^\n"]{0,60}/g,
  /\b(?:chmod|chown|mkfs\S*|iptables|setenforce|usermod|visudo|crontab|certutil|powershell|iex)\b [^\n"]{1,60}/g,
  /\bsystemctl (?:stop|disable|mask|restart)\b \S+/g,
  /\bdocker (?:rm|rmi|run|exec|kill|system prune)\b[^\n"]{0,60}/g,
  /\b(?:terraform|aws|gcloud|az|nats|redis-cli|etcdctl)\b[^\n"]{0,40}\b(?:destroy|delete|rm|purge|flushall|flushdb|terminate\S*)\b/g,
  /\b(?:base64|openssl) [^\n"]{0,30}-(?:d|-decode)\b/g,
  /\b(?:python3?|perl|ruby|node|bash|sh) -[ce]\b[^\n"]{0,60}/g,
  /\bkill(?:all)? (?:-\w+ )?\S+/g,
];

/** As much of a command as makes it one, so that an argument or a full stop more or less does not hide it. */
const stemOf = (command: string): string =>
  command
    .trim()
    .split(' ')
    .slice(0, 3)
    .join(' ')
    .replace(/[.,;:!?)'"`]+$/, '');

/** The commands in a text, in the letters of plain-letters, up to their third word. */
export const commandStems = (plain: string): string[] =>
  COMMANDS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([command]) => stemOf(command)));
