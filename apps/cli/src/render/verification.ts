import type { BundleCheck } from '@inquest/contracts/evidence-bundle';
import type { Verification } from '@inquest/evidence-bundle/verify-bundle';
import type { Style } from './style';
import { count, hang, printable } from './text';

const WIDTH_MAX = 110;

const mark = ({ holds }: BundleCheck, style: Style): string =>
  holds === null ? style.warn('  -  ') : holds ? style.good('holds') : style.bad('FAILS');

const checkLines = (check: BundleCheck, style: Style, width: number): string[] => [
  ...hang(`${mark(check, style)}  `, check.check, width),
  ...hang('       ', printable(check.detail), width).map(style.dim),
];

/** `21 checks hold, 1 could not be made`. */
export const drawCounts = (checks: readonly BundleCheck[], style: Style): string => {
  const of = (value: boolean | null): number => checks.filter(({ holds }) => holds === value).length;
  const [good, bad, open] = [of(true), of(false), of(null)];
  const told = `${count(good, 'check')} hold${good === 1 ? 's' : ''}`;
  return [
    bad > 0 ? style.bad(`${count(bad, 'check')} ${bad === 1 ? 'FAILS' : 'FAIL'}`) : null,
    bad > 0 ? told : style.good(told),
    open > 0 ? `${open} could not be made` : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
};

export const drawVerification = (
  { holds, checks, bundle }: Verification,
  style: Style,
  columns: number,
): string[] => {
  const width = Math.min(columns, WIDTH_MAX);
  const signed = checks.at(-1)?.holds === true;
  const verdict = !holds
    ? style.bad(style.bold('This file does not hold.'))
    : signed
      ? style.good(style.bold('Everything that was checked holds, and the file is signed by the given key.'))
      : style.good(style.bold('Everything that was checked holds.'));
  const whose =
    holds && !signed ? ['Who made the file is not shown by this: that takes a signature and a key.'] : [];
  return [
    ...checks.flatMap((check) => checkLines(check, style, width)),
    '',
    verdict,
    ...whose,
    drawCounts(checks, style),
    ...(bundle ? [style.dim(`run ${printable(bundle.manifest.runId)}, ${bundle.manifest.outcome}`)] : []),
  ];
};
