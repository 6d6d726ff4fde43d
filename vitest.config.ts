import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests and examples import what users import, and get the sources: no build is needed.
    alias: [
      { find: /^toolsieve$/, replacement: source("index.ts") },
      { find: /^toolsieve\/testing$/, replacement: source("testing/index.ts") },
      { find: /^toolsieve\/(.*)$/, replacement: source("$1.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    typecheck: { tsconfig: "test/types/tsconfig.json", include: ["test/**/*.test-d.ts"] },
    unstubEnvs: true,
  },
});
