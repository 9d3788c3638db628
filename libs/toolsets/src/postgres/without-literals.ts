/**
 * A statement without the values in it: texts, numbers and whole dollar-quoted bodies become `?`. What people search for
 * and store stays out of evidence; what the statement does remains.
 */
export const withoutLiterals = (sql: string): string =>
  sql.replace(
    /(\$([A-Za-z_]\w*)?\$)[^]*?(?:\1|$)|(?:\b[EeBbXxNn]|\b[Uu]&)?'(?:[^'\\]|\\[^]|'')*(?:'|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"]|"")*"|\$\d+|\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g,
    (part) => {
      if (part.startsWith('"')) return part;
      if (/^\$\d+$/.test(part)) return part;
      if (part.startsWith('--') || part.startsWith('/*')) return ' ';
      return '?';
    },
  );
