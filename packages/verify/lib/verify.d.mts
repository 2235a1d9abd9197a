/** Where a file is wrong first (`seq 17`, `header`, `seal 1`, `end`, `proof`, `receipt`), and the reason. */
export interface Finding {
  place: string
  problem: string
}

export interface Options {
  /** A text of C2SP tlog-policy: needed for exports, proofs and checkpoints. */
  policy?: string
  /** Checkpoints that were kept: an export must contain them, a checkpoint continue one, a proof be of one history with one. */
  checkpoints?: string[]
  /** For proofs and checkpoints: the path between it and the one that was kept: base64 of the hashes, one a line. */
  consistency?: string
  /** For exports: the action whose consent is told. For proofs: the action that it must be about. */
  action?: number
  /** For exports: also tell what comes after its last seal, which anyone can have added. */
  unsealed?: boolean
  /** The gate's keys of receipts, a JSON Web Key Set: needed for receipts. */
  jwks?: string
  /** What a receipt must be about: JSON. */
  payload?: Uint8Array
  issuer?: string
  account?: string
  kind?: string
  minStrength?: string
  /** The time at which a receipt is judged. Default: the clock's. */
  now?: Date
}

/** `words`: what is proven, in sentences of printable ASCII; `facts`: the same as data, as the file has it. */
export type Verdict =
  | {
      ok: true
      what: 'export' | 'proof' | 'checkpoint' | 'receipt'
      words: string[]
      facts: Record<string, unknown>
    }
  /** `unreadable`: nothing is said of what the file holds. `sealed`: what was asked for comes after the last seal. */
  | ({ ok: false; unreadable?: true; sealed?: false } & Finding)

/** The policy or the keys are not valid, or an option is not for this kind of file: nothing is said of the file. */
export declare class PolicyError extends Error {}

export interface Output {
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

/** Checks a sealed export, a proof, a checkpoint or a receipt. An option that is not for that kind is refused. @throws PolicyError */
export declare function verifyFile(chunks: AsyncIterable<Uint8Array>, options: Options): Promise<Verdict>
/** Checks an export line by line. A line that is refused leaves the checker as it was. @throws PolicyError */
export declare function exportChecker(options: Options): {
  take(line: Uint8Array): Promise<void> | undefined
  finish(): Promise<Verdict>
}
/** What is wrong with a file. At the place `file` nothing of it could be read. */
export declare class Refusal extends Error {
  readonly place: string
  readonly problem: string
}
/** The text of a file, without a byte order mark. @throws Refusal */
export declare function textOfFile(bytes: Uint8Array): string
/** The lines of a text file, without what ends each, and without empty lines at the end. @throws Refusal */
export declare function linesOfFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
/** Why another program may read a payload, which `JSON.parse` took, as another value: a name twice, a number that is rounded. */
export declare function payloadProblem(json: string): string | undefined
/** The command line. @returns the exit code: 0 valid, 1 not, 2 wrong usage or policy, or a file that cannot be read */
export declare function run(args: string[], output: Output): Promise<number>

/** @throws PolicyError */
export declare function readPolicy(text: string): unknown
/** Whether a key, in the form of a vkey, signed a C2SP note. */
export declare function isNoteSignedBy(note: string, vkey: string): Promise<boolean>

/** SHA-256, and the trees of RFC 6962 over it. */
export declare function sha256(data: Uint8Array): Uint8Array
export declare function ownHasher(): { update(data: Uint8Array): void; digest(): Uint8Array }
export declare function leafHash(data: Uint8Array): Uint8Array
export declare function growingRoot(leaves: () => Uint8Array): (size: number) => Uint8Array
export declare function isIncluded(proof: {
  index: number
  size: number
  leaf: Uint8Array
  path: Uint8Array[]
  root: Uint8Array
}): boolean
export declare function isConsistent(proof: {
  size1: number
  size2: number
  root1: Uint8Array
  root2: Uint8Array
  path: Uint8Array[]
}): boolean
