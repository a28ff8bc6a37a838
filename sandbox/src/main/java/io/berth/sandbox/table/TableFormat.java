package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;

/**
 * The table format of a kind.
 *
 * @param columns the columns
 * @param cells returns an object's cells at a point in time, one per column: strings, numbers, or
 *     booleans
 */
record TableFormat(List<Column> columns, BiFunction<JsonNode, Instant, List<Object>> cells) {}
