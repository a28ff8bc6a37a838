/**
 * Reads the measured usage of nodes from metrics.k8s.io or Prometheus, and sends it to the engine.
 */
@NullMarked
package io.berth.operator.load;

import org.jspecify.annotations.NullMarked;
