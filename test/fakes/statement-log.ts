import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a client and PostgreSQL, far from one another, that notes the client's statements. */
export interface StatementLog {
  port: number;
  /** Those with a reply that the client has by now, of those that it has sent since `clear`, in the order of the replies. */
  answered: readonly Statement[];
  clear(): void;
  close(): Promise<void>;
}

export interface Statement {
  text: string;
  /** 1 where it was sent before any reply came, else one more than the highest of those that had a reply by then. */
  roundTrip: number;
}

/** Milliseconds that a reply is on its way: what a client sends at once is sent before a reply to the first of it. */
const LATENCY_MS = 50;

/** `noted`: all are passed on, and these are noted. */
export async function startStatementLog(target: number, noted: RegExp): Promise<StatementLog> {
  const sockets = new Set<Socket>();
  const answered: Statement[] = [];
  /** Of what is noted; a statement that was sent before is not. */
  let round = 0;

  const note = (text: string): Statement & { round: number } => ({
    text: text.replace(/\s+/g, ' ').trim(),
    roundTrip: 1 + Math.max(0, ...answered.map((one) => one.roundTrip)),
    round,
  });

  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    const texts = new Map<string, string>();
    const sent: ReturnType<typeof note>[] = [];
    const requests = createFrames(0, (type, body) => {
      const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
      if (type === 'P') texts.set(first, second);
      else if (type === 'B') sent.push(note(texts.get(second) ?? ''));
      else if (type === 'Q') sent.push(note(first));
    });
    const replies = createFrames(1, (type) => {
      // CommandComplete, EmptyQueryResponse, ErrorResponse.
      const isEnd = type === 'C' || type === 'I' || type === 'E';
      const { round: ofRound, ...statement } = (isEnd && sent.shift()) || { round: -1, text: '', roundTrip: 0 };
      if (ofRound === round && noted.test(statement.text)) answered.push(statement);
    });
    near.on('data', (chunk) => {
      requests(chunk);
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      const pass = (): void => {
        replies(chunk);
        near.write(chunk);
      };
      setTimeout(pass, LATENCY_MS);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    answered,
    clear() {
      answered.length = 0;
      round += 1;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Calls `act` with each message of PostgreSQL's protocol; `typed`: 0 where the first, the start of a client's, has no type. */
function createFrames(typed: 0 | 1, act: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let head: number = typed;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= head + 4) {
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      act(head === 0 ? '' : String.fromCharCode(rest[0]!), rest.subarray(head + 4, end));
      rest = rest.subarray(end);
      head = 1;
    }
  };
}
