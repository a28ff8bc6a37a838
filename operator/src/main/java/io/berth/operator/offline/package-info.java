/** Checks and renders objects in files as the webhook does in a cluster, without a cluster. */
@NullMarked
package io.berth.operator.offline;

import org.jspecify.annotations.NullMarked;
