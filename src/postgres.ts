/** The sink that writes to Postgres; needs the optional package `pg`. */

export {
  postgresMigration,
  postgresSink,
  type PostgresSink,
  type PostgresSinkOptions,
} from "./sinks/postgres.js";
export type { PostgresPool } from "./postgres-client.js";
export type { SinkStats } from "./sinks/queue.js";
