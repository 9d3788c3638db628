/** A command of `inquest` as a person types it in the project's folder; `-s` keeps npm's own lines out of its output. */
export const typedCommand = (command: string): string => `npm run -s inquest -- ${command}`;
