/** The reconcilers that maintain the status of Berth's four kinds. */
@NullMarked
package io.berth.operator.reconcile;

import org.jspecify.annotations.NullMarked;
