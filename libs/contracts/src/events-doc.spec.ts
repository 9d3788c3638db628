import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsDoc } from './events-doc';

it('docs/events.md says what the contracts say (npm run docs:generate)', () => {
  const written = readFileSync(join(__dirname, '../../../docs/events.md'), 'utf8');
  expect(written).toBe(eventsDoc());
});
