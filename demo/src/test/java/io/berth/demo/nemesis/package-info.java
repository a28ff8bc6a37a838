/** Plans of faults, and the proxies that inject them. */
@NullMarked
package io.berth.demo.nemesis;

import org.jspecify.annotations.NullMarked;
