//! Time, memory and cancellation end a query whatever it is busy with; LIMIT and ASK stop their input.
