/**
 * What users of SQLite ask, and the pages that answer it: any of `pages` may come first. Written from reading the pages,
 * before anything was searched in them, and not to be tuned to what is found.
 */
export const QUESTIONS: { question: string; pages: string[] }[] = [
  {
    question: 'Why is my database file still huge after I deleted most of its rows?',
    pages: ['faq.html', 'lang_vacuum.html'],
  },
  {
    question: 'Can WAL mode be used when the database is on a network share?',
    pages: ['wal.html', 'useovernet.html'],
  },
  { question: 'How many columns can one table have?', pages: ['limits.html'] },
  { question: 'How do I get a list of all tables with a query?', pages: ['faq.html', 'schematab.html'] },
  {
    question: 'Should I use AUTOINCREMENT or is a plain integer primary key enough?',
    pages: ['autoinc.html', 'faq.html'],
  },
  { question: 'How can I back up a database while the application keeps running?', pages: ['backup.html'] },
  {
    question: 'Why are my foreign keys not enforced?',
    pages: ['foreignkeys.html', 'quirks.html', 'faq.html'],
  },
  { question: 'How do I insert a row, or update it when the key exists already?', pages: ['lang_upsert.html'] },
  { question: 'Does full-text search find "cafe" when the text says "café"?', pages: ['fts5.html', 'fts3.html'] },
  { question: 'How do I work out how many days lie between two dates?', pages: ['lang_datefunc.html'] },
  {
    question: 'Is there a boolean type, and how are true and false stored?',
    pages: ['datatype3.html', 'quirks.html'],
  },
  { question: 'How do I pull one value out of JSON that is stored in a column?', pages: ['json1.html'] },
  { question: 'What is the difference between SQLITE_BUSY and SQLITE_LOCKED?', pages: ['rescode.html'] },
  { question: 'How can I remove a column from a table?', pages: ['lang_altertable.html', 'faq.html'] },
  { question: 'How do I load a CSV file into a table with the sqlite3 shell?', pages: ['cli.html'] },
  { question: 'When is a server database such as PostgreSQL the better choice?', pages: ['whentouse.html'] },
  { question: 'How can I tell whether a query uses an index or scans the whole table?', pages: ['eqp.html'] },
  {
    question: 'May I ship it in a closed-source product without paying?',
    pages: ['copyright.html', 'faq.html', 'about.html'],
  },
  {
    question: 'How do I open a database read-only with a file: address?',
    pages: ['uri.html', 'c3ref/open.html', 'capi3ref.html'],
  },
  { question: 'Is it safe to share one connection between threads?', pages: ['threadsafe.html', 'faq.html'] },
];
