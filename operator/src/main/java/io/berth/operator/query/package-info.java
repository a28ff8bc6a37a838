/**
 * Serves the API group {@code query.sched.cloud.ctrip.com} to the API server's aggregation layer:
 * decisions, and reviews of placements that do not exist yet.
 */
@NullMarked
package io.berth.operator.query;

import org.jspecify.annotations.NullMarked;
