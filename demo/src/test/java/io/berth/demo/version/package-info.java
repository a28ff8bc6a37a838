/** Berth on all supported versions of Kubernetes, and upgrades from older versions of Berth. */
@NullMarked
package io.berth.demo.version;

import org.jspecify.annotations.NullMarked;
