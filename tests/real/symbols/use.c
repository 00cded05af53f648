// SPDX-License-Identifier: Apache-2.0
extern int answer(void); int call(void){return answer();}
