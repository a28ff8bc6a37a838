/** The rules of the architecture, checked on the classes of all modules. */
@NullMarked
package io.berth.demo.architecture;

import org.jspecify.annotations.NullMarked;
