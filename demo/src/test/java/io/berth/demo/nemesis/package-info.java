/** Plans of faults, and the proxies that carry them out. */
@NullMarked
package io.berth.demo.nemesis;

import org.jspecify.annotations.NullMarked;
