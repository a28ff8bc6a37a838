/** Checks and renders objects from files as the webhook does, without a cluster. */
@NullMarked
package io.berth.operator.offline;

import org.jspecify.annotations.NullMarked;
