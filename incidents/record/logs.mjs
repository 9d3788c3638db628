// Log lines of the services (JSON) and of Postgres (text), thinned by one documented rule.

/** One INFO line in this many is kept. Lines of WARN and above, and all lines of Postgres, are always kept. */
export const KEEP_ONE_INFO_IN = 40;

const POSTGRES_LINE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) UTC\|(\d+)\|([^|]*)\|(\w+):\s+(.*)$/;
const LEVELS = { LOG: 'INFO', NOTICE: 'INFO', WARNING: 'WARN', ERROR: 'ERROR', FATAL: 'FATAL', PANIC: 'FATAL' };
const CONTINUATIONS = new Set(['DETAIL', 'HINT', 'CONTEXT', 'STATEMENT']);

export const logBook = () => {
  const lines = [];
  let infos = 0;
  let seen = 0;
  const add = (line) => {
    seen += 1;
    const thinned = line.level === 'INFO' && / \d{3} \d+ ms$/.test(line.message);
    if (thinned && infos++ % KEEP_ONE_INFO_IN !== 0) return;
    lines.push(line);
  };
  /** DETAIL, HINT, CONTEXT and STATEMENT belong to the line before them and are joined to it. */
  const addPostgres = (text) => {
    const match = POSTGRES_LINE.exec(text);
    const last = lines.findLast((line) => line.service === 'postgres');
    if (!match || CONTINUATIONS.has(match[4])) {
      const rest = match ? `${match[4]}: ${match[5]}` : text.trim();
      if (last) last.message = `${last.message}; ${rest}`.replace(/\s+/g, ' ').slice(0, 500);
      return;
    }
    const [, time, pid, client, level, message] = match;
    const from = client && client !== '[unknown]' ? ` (client ${client})` : '';
    const line = { service: 'postgres', pod: `pg-session-${pid}`, level: LEVELS[level] ?? 'INFO', message: message + from };
    add({ time: `${time.replace(' ', 'T')}Z`, ...line });
  };
  const between = (from, to) =>
    lines.filter(({ time }) => time >= from && time < to).sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  return { add, addPostgres, between, seen: () => seen };
};
