/** Berth on an embedded cluster, for the end-to-end tests of policies, bindings, and samples. */
@NullMarked
package io.berth.demo.ground;

import org.jspecify.annotations.NullMarked;
