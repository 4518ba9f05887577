//! Keeps value numbers and the operand pool dense: once most of either is dead, the live part is moved together.

use super::{Editor, NONE};
use crate::constant::ConstKind;
use crate::entities::Value;
use crate::function::{Function, ValueKind};
use crate::operand::Operand;
use crate::rewrite::for_each_operand_mut;
use frazil_support::EntityRef;

/// Dead entries that are not worth a walk over the function.
const SPARE: usize = 256;

impl Editor {
    pub(super) fn compact(&mut self, f: &mut Function) {
        if f.values.len() > 2 * (f.insts.len() + f.param_count() + f.slots.len()) + SPARE {
            self.compact_values(f);
        }
        // What is used of the pool is counted only where it may be little.
        if f.pool.len() > 2 * f.insts.len() + SPARE {
            let words: usize = f.insts.iter().filter_map(|data| f.pooled_count(data)).sum();
            let vectors = f.consts.iter().filter(|data| data.kind == ConstKind::Vector);
            let words = words + vectors.map(|data| data.len as usize).sum::<usize>();
            if f.pool.len() > 2 * words + SPARE {
                self.compact_pool(f, words);
            }
        }
    }

    /// Renumbers the values that are defined, in their order: parameters stay first, results stay consecutive.
    fn compact_values(&mut self, f: &mut Function) {
        let mut numbers = std::mem::take(&mut self.new_numbers);
        numbers.clear();
        let mut next = 0u32;
        for index in 0..f.values.len() {
            let value = f.values[index];
            if value.kind == ValueKind::Forward {
                numbers.push(NONE);
                continue;
            }
            numbers.push(next);
            f.values[next as usize] = value;
            next += 1;
        }
        f.values.truncate(next as usize);
        for slot in &mut f.slots {
            slot.address = Value::new(numbers[slot.address.index()] as usize);
        }
        if f.debug.is_on() {
            Self::renumber_debug_values(f, &numbers);
        }
        for data in &mut f.insts {
            if let Some(first) = data.first_result() {
                data.result = numbers[first.index()];
            }
            for_each_operand_mut(&mut f.pool, data, |operand| {
                if let Some(value) = operand.as_value() {
                    *operand = Operand::value(Value::new(numbers[value.index()] as usize));
                }
            });
        }
        self.new_numbers = numbers;
    }

    /// Copies the operand lists that are referred to into a new pool, in program order.
    fn compact_pool(&mut self, f: &mut Function, words: usize) {
        let mut pool = Vec::with_capacity(words);
        for index in 0..f.insts.len() {
            let data = f.insts[index];
            let Some(count) = f.pooled_count(&data) else {
                continue;
            };
            // An empty list has a place, too, which must be one of the new pool.
            f.insts[index].b = Operand::raw(pool.len() as u32);
            if count > 0 {
                pool.extend_from_slice(f.pool_slice(data.b.as_raw(), count as u32));
            }
        }
        for data in f.consts.iter_mut().filter(|data| data.kind == ConstKind::Vector) {
            let start = data.start as usize;
            data.start = pool.len() as u32;
            pool.extend_from_slice(&f.pool[start..start + data.len as usize]);
        }
        f.pool = pool;
    }
}
