/** The kubectl plugin, run by the real kubectl. */
@NullMarked
package io.berth.demo.plugin;

import org.jspecify.annotations.NullMarked;
