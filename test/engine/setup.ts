import { inject } from 'vitest';

// Before a test file imports test/engine/engine.ts.
const { url, prefix } = inject('database');
process.env['TEST_DATABASE_URL'] = url;
process.env['TEST_SCHEMA_PREFIX'] = prefix;
