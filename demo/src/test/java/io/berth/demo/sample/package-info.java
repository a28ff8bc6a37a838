/** The samples and guides do what their pages say. */
@NullMarked
package io.berth.demo.sample;

import org.jspecify.annotations.NullMarked;
