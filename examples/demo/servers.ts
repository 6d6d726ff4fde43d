/** Starts real MCP servers over stdio and lists their tools; nothing here needs a network or credentials. */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import type { StructuredToolInterface } from "@langchain/core/tools";

/** How to start one server from `node_modules`. */
export interface ServerCommand {
  readonly name: string;
  /** The script of the server; a relative path starts at `node_modules`. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that runs, and the tools that it listed. */
export interface RunningServer {
  readonly name: string;
  readonly tools: readonly StructuredToolInterface[];
}

/** A server that did not start. */
export interface FailedServer {
  readonly name: string;
  readonly reason: string;
}

/** All servers of the demo. */
export interface Servers {
  readonly running: readonly RunningServer[];
  readonly failed: readonly FailedServer[];
  /** Ends the child processes. */
  close(): Promise<void>;
}

/**
 * The servers of the demo: about 135 tools, many of them alike, as in a real setup.
 *
 * @param folder what the filesystem server may touch.
 * @param memoryFile where the memory server keeps its graph.
 */
export function demoServers(folder: string, memoryFile: string): readonly ServerCommand[] {
  const official = "@modelcontextprotocol/server-";
  return [
    { name: "filesystem", script: `${official}filesystem/dist/index.js`, args: [folder] },
    {
      name: "memory",
      script: `${official}memory/dist/index.js`,
      env: { MEMORY_FILE_PATH: memoryFile },
    },
    { name: "everything", script: `${official}everything/dist/index.js` },
    { name: "github", script: `${official}github/dist/index.js` },
    {
      name: "gitlab",
      script: `${official}gitlab/dist/index.js`,
      env: { GITLAB_PERSONAL_ACCESS_TOKEN: "not-a-token" },
    },
    { name: "playwright", script: "@playwright/mcp/cli.js", args: ["--headless"] },
    {
      name: "chrome",
      script: "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js",
      args: ["--headless", "--no-usage-statistics"],
      env: { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: "1" },
    },
    // Last, because providers with a limit of 128 tools go without it.
    {
      name: "maps",
      script: `${official}google-maps/dist/index.js`,
      env: { GOOGLE_MAPS_API_KEY: "not-a-key" },
    },
  ];
}

const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));

function createClient({ name, script, args = [], env = {} }: ServerCommand): MultiServerMCPClient {
  return new MultiServerMCPClient({
    mcpServers: {
      [name]: {
        transport: "stdio",
        command: process.execPath,
        args: [resolve(modules, script), ...args],
        env: { ...env },
        stderr: "ignore",
      },
    },
    prefixToolNameWithServerName: true,
    additionalToolNamePrefix: "",
  });
}

const firstLine = (error: unknown): string => String(error).split("\n", 1)[0] ?? "";

/** Rejects when a promise takes too long; a server that hangs must not hang the demo. */
async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Starts the servers side by side. One that fails is reported, and the others go on.
 *
 * @param options.timeoutMs how long a server may take to list its tools; 20,000 by default.
 */
export async function startServers(
  commands: readonly ServerCommand[],
  { timeoutMs = 20_000 }: { readonly timeoutMs?: number } = {},
): Promise<Servers> {
  const clients = commands.map(createClient);
  const lists = await Promise.allSettled(
    clients.map((client) => within(timeoutMs, client.getTools())),
  );
  const running: RunningServer[] = [];
  const failed: FailedServer[] = [];
  for (const [index, list] of lists.entries()) {
    const name = commands[index]?.name ?? "";
    if (list.status === "fulfilled") running.push({ name, tools: list.value });
    else failed.push({ name, reason: firstLine(list.reason) });
  }
  return {
    running,
    failed,
    close: async () => {
      await Promise.allSettled(clients.map((client) => client.close()));
    },
  };
}
