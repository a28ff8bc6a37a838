/** The webhook's integration with the cluster: catalog, certificates, and registration. */
@NullMarked
package io.berth.operator.admission;

import org.jspecify.annotations.NullMarked;
