/** Measured usage of nodes, from metrics.k8s.io or Prometheus to the engine. */
@NullMarked
package io.berth.operator.load;

import org.jspecify.annotations.NullMarked;
