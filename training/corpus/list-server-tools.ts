/** Starts one server in a sandbox without network, and asks it for its tools. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { z } from "zod";
import { CollectFailure } from "./failure.js";
import { serverPath } from "./install-package.js";

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How to start a server. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files in the server's home folder, by relative name. */
  readonly files: Readonly<Record<string, string>>;
}

const pageSchema = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().optional(),
      inputSchema: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  nextCursor: z.string().optional(),
});

/** Namespaces without network, and a process group that ends with its parent. */
const sandbox = [
  "--net",
  "--pid",
  "--fork",
  "--kill-child=SIGKILL",
  "sh",
  "-c",
  'ip link set lo up; exec "$0" "$@"',
];

function createHome(files: StartCommand["files"]): string {
  const home = mkdtempSync(join(tmpdir(), "catalog-"));
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return home;
}

function createTransport(start: StartCommand, home: string): StdioClientTransport {
  const scrubbed = {
    PATH: serverPath,
    HOME: home,
    TMPDIR: home,
    USER: "nobody",
    LOGNAME: "nobody",
  };
  const args = start.args.map((argument) => argument.replaceAll("{home}", home));
  const env = Object.fromEntries(
    Object.entries(start.env).map(([key, value]) => [key, value.replaceAll("{home}", home)]),
  );
  return new StdioClientTransport({
    command: "unshare",
    args: [...sandbox, start.command, ...args],
    env: { ...scrubbed, ...env },
    cwd: home,
    stderr: "pipe",
  });
}

async function readPages(client: Client, timeout: number): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const params: Record<string, string> = cursor === undefined ? {} : { cursor };
    // eslint-disable-next-line no-await-in-loop -- each page names the next one
    const page = await client.request({ method: "tools/list", params }, pageSchema, { timeout });
    for (const { name, description = "", inputSchema = {} } of page.tools) {
      tools.push({ name, description, parameters: inputSchema });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < 2_000);
  return tools;
}

/** Replaces the temporary home folder, which differs from run to run, in texts and defaults. */
function hidePath(tools: readonly ListedTool[], home: string): readonly ListedTool[] {
  return JSON.parse(JSON.stringify(tools).replaceAll(home, "/home/user")) as ListedTool[];
}

function classify(error: unknown, stderr: string): CollectFailure {
  const text = String(error);
  const tail = `${text.slice(0, 200)} | ${stderr.trim().slice(-500)}`;
  if (text.includes("timed out")) return new CollectFailure("timeout", tail);
  if (text.includes("closed") || text.includes("EPIPE")) return new CollectFailure("exited", tail);
  return new CollectFailure("protocol", tail);
}

/**
 * Lists all pages of a server's tools.
 *
 * The server runs without network, with its own `HOME`, and with no variable of this process;
 * `{home}` in an argument or variable stands for that folder.
 *
 * @param timeoutMs limit of each answer.
 * @throws CollectFailure if the server does not start or answer.
 */
export async function listServerTools(
  start: StartCommand,
  timeoutMs: number,
): Promise<readonly ListedTool[]> {
  const home = createHome(start.files);
  const transport = createTransport(start, home);
  const client = new Client({ name: "catalog-reader", version: "1.0.0" });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-4_000);
  });
  try {
    await client.connect(transport, { timeout: timeoutMs });
    return hidePath(await readPages(client, timeoutMs), home);
  } catch (error) {
    throw classify(error, stderr);
  } finally {
    await client.close().catch(() => undefined);
    rmSync(home, { recursive: true, force: true });
  }
}
