/**
 * Berth on an embedded cluster, as the end-to-end tests of policies, bindings and samples use it.
 */
@NullMarked
package io.berth.demo.ground;

import org.jspecify.annotations.NullMarked;
