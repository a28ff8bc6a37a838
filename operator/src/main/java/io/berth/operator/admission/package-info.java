/** Connects the webhook to the cluster: its catalog, its certificates, its registration. */
@NullMarked
package io.berth.operator.admission;

import org.jspecify.annotations.NullMarked;
